import { describe, expect, test } from 'vitest';
import { RULES } from '../../conformance/plan/plan.ts';
import type { CaseResult } from '../../conformance/results/results.ts';
import type { Defect, DefectPlace } from '../../mock/defects/defect.ts';
import { DEFECTS } from '../../mock/defects/defects.ts';
import { createMock } from '../../mock/mock.ts';
import { createProfile, DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { demo as fixtures } from '../../testing/demo.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { createTrial, tells } from './defect-trial.ts';
import { describeSurvivor } from './tally.ts';
import { drawKinds, listTrials } from './trials.ts';

const contract = { catalogue, references, profile: DEFAULT_PROFILE };

const trial = createTrial(contract, fixtures);
const brand = modelNamed('brand');

function modelNamed(name: string) {
  const model = catalogue.models.get(name);
  if (!model) throw new Error(`there is no ${name}`);
  return model;
}

function defectNamed(name: string): Defect {
  const defect = DEFECTS.find((known) => known.name === name);
  if (!defect) throw new Error(`there is no ${name}`);
  return defect;
}

test('other seeds catch the same defects', async () => {
  const survivors: string[] = [];
  const near = listTrials(contract).filter(({ place }) =>
    ['brand', 'customerTag'].includes(place.model.name),
  );
  for (const { defect, place } of drawKinds(near, 30, 2))
    for (const seed of [1, 2, 3, 4, 5]) {
      const { caught, name } = await (await trial)(defect, place, seed);
      if (!caught) survivors.push(name);
    }
  expect(survivors).toEqual([]);
});

describe('the trial of a defect', () => {
  test('reports one that changes nothing as a survivor', async () => {
    const invisible: Defect = {
      name: 'test.changes-nothing',
      violates: 'changes nothing',
      rules: ['create.keeps-field'],
      places: (model) => [{ model }],
      record: () => ({}),
    };
    const verdict = await (await trial)(invisible, { model: brand });
    expect(verdict).toMatchObject({ caught: false, rules: [], instead: [], expected: invisible.rules });
    expect(describeSurvivor(verdict)).toBe(
      'survived test.changes-nothing:brand: expected a failure of create.keeps-field; found nothing',
    );
  });

  test('reports one that only another rule sees as a survivor, with what was seen', async () => {
    const mislabeled = { ...defectNamed('create.drops-field'), rules: ['absent.put'] };
    const verdict = await (await trial)(mislabeled, placeOf(mislabeled, 'brand', 'name'));
    expect(verdict.caught).toBe(false);
    expect(verdict.instead.join()).toMatch(/fail create\.keeps-field:brand\.name/);
  });

  test('reports one that no rule is about as a survivor', async () => {
    const orphan = { ...defectNamed('create.drops-field'), rules: [] };
    expect(await (await trial)(orphan, placeOf(orphan, 'brand', 'name'))).toMatchObject({ caught: false });
  });

  test('names the rules that catch one', async () => {
    const defect = defectNamed('fields.id-as-text');
    const verdict = await (await trial)(defect, placeOf(defect, 'brand', 'id', 'list'));
    expect(verdict).toMatchObject({ caught: true, name: 'fields.id-as-text:brand.id=list', errors: [] });
    expect(verdict.rules.toSorted()).toEqual(['fields.id', 'fields.type']);
  });

  test.each([
    [
      'changes a record of others, on a later page of the list',
      { 'list.paging': { style: 'offset', default: 7, max: 7 } },
      ['create.changes-neighbor', 'customer', 'birthdate'],
      'create.distinct',
    ],
    [
      'shows after an update, of a model that has nothing to update',
      { 'delete.effect': 'mark-listed' },
      ['fields.null-once-updated', 'accessControlLog', 'customer'],
      'required.present',
    ],
  ] as const)('finds one that %s', async (_, settings, [name, model, field], rule) => {
    const profile = createProfile(settings, catalogue);
    const defect = defectNamed(name);
    const tried = await createTrial({ ...contract, profile }, fixtures);
    expect(await tried(defect, placeOf(defect, model, field))).toMatchObject({ caught: true, rules: [rule] });
  });

  test.each(RULES.filter(({ level }) => level !== 'assumed').map(({ id }) => id))(
    'makes %s fail by a defect about it',
    async (rule) => {
      for (const { defect, place } of listTrials(contract).filter(({ defect }) =>
        defect.rules.includes(rule),
      )) {
        const { rules } = await (await trial)(defect, place);
        if (rules.includes(rule)) return;
      }
      expect.unreachable(`no defect makes ${rule} fail`);
    },
  );

  test('refuses to begin where a service without a defect fails', async () => {
    const profile = createProfile({ 'status.created': 200 }, catalogue);
    const other = createTrial(contract, fixtures, await createMock({ ...contract, profile, fixtures }));
    const defect = defectNamed('fields.id-as-text');
    await expect((await other)(defect, placeOf(defect, 'brand', 'id', 'list'))).rejects.toThrow(
      'brand is not green without a defect',
    );
  });
});

function placeOf(defect: Defect, model: string, field: string, detail?: string): DefectPlace {
  const found = defect
    .places(modelNamed(model), contract)
    .find((place) => place.field?.name === field && place.detail === detail);
  if (!found) throw new Error(`${defect.name} does not apply to ${model}.${field}`);
  return found;
}

test('defects name only rules that there are', () => {
  const ids = new Set(RULES.map(({ id }) => id));
  const named = DEFECTS.flatMap(({ name, rules }) => rules.map((rule) => ({ name, rule })));
  expect(named.filter(({ rule }) => !ids.has(rule))).toEqual([]);
});

describe('a failure tells of a defect', () => {
  const defect = { ...defectNamed('update.loses-field'), rules: ['a.rule'] };
  const place = placeOf(defect, 'customer', 'email');
  const failure: CaseResult = {
    id: 'a.rule:customer.name',
    rule: 'a.rule',
    title: '',
    level: 'stated',
    requirement: '',
    model: 'customer',
    field: 'name',
    outcome: 'fail',
    message: 'name differs',
    found: 'null',
  };
  test.each([
    ['when its field is the one', { field: 'email' }, true],
    ['when it has no field', { field: undefined }, true],
    ['when it names the field', { message: 'an update of name changes email' }, true],
    ['when what it found names the field', { found: '{"email":null}' }, true],
    ['but not of another field', {}, false],
    ['but not of a field with a longer name', { message: 'email2 differs' }, false],
    ['but not of another rule', { field: 'email', rule: 'another.rule' }, false],
    ['but not when it is no failure', { field: 'email', outcome: 'blocked' as const }, false],
  ])('%s', (_, more, told) => {
    const { field, ...others } = { ...failure, ...more };
    expect(tells({ ...others, ...(field === undefined ? {} : { field }) }, defect, place)).toBe(told);
  });
  test('of another field where the defect shows elsewhere', () => {
    expect(tells(failure, { ...defect, elsewhere: true }, place)).toBe(true);
    expect(tells({ ...failure, rule: 'another.rule' }, { ...defect, elsewhere: true }, place)).toBe(false);
  });
});
