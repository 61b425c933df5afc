import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { CaseResult } from '../../conformance/results/results.ts';
import { RULES } from '../../conformance/rules/rules.ts';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import type { Defect, Place } from '../../mock/defects/defect.ts';
import { DEFECTS } from '../../mock/defects/defects.ts';
import { createMock } from '../../mock/mock.ts';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { createProfile, DEFAULT_PROFILE, SETTINGS } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import { few } from '../../testing/mocks.ts';
import { createTrial, tells } from './defect-trial.ts';
import { createInProcessTarget, credentialsFor } from './in-process-target.ts';
import { findException } from './mismatch-exceptions.ts';
import { createMismatchTrial, listMismatches, nameOfMismatch } from './mismatches.ts';
import { tryProfile } from './profile-trial.ts';
import { describeMismatches } from './summary.ts';
import { createTally, describeSurvivor } from './tally.ts';
import { drawKinds, drawTrials, listTrials } from './trials.ts';

const catalogue = loadCatalogue();
const references = loadReferences(catalogue);
const fixtures = loadFixtures('demo');
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

test('draws with seeds that follow each other take all kinds of defects in turns', () => {
  const trials = listTrials(contract);
  const kinds = new Set(trials.map(({ defect }) => defect.name)).size;
  const draws = Array.from({ length: 12 }, (_, seed) => drawKinds(trials, 100, seed + 1));
  const times = Map.groupBy(draws.flat(), ({ defect }) => defect.name);
  expect(times.size).toBe(kinds);
  expect(Math.min(...[...times.values()].map(({ length }) => length))).toBeGreaterThanOrEqual(5);
});

describe('the trial of a defect', () => {
  test('reports one that changes nothing as a survivor', async () => {
    const invisible: Defect = {
      name: 'test.changes-nothing',
      violates: 'changes nothing',
      rules: ['create.keeps-field'],
      places: (model) => [{ model }],
      decorate: () => ({ engine: (inner) => ({ ...inner }) }),
    };
    const verdict = await (await trial)(invisible, { model: brand });
    expect(verdict).toMatchObject({ caught: false, rules: [], instead: [], expected: invisible.rules });
    expect(describeSurvivor(verdict)).toBe(
      'survived test.changes-nothing:brand: expected a failure of create.keeps-field; found nothing',
    );
  });

  test('reports one that only another rule sees as a survivor, with what was seen', async () => {
    const mislabelled = { ...defectNamed('create.drops-field'), rules: ['absent.put'] };
    const verdict = await (await trial)(mislabelled, placeOf(mislabelled, 'brand', 'name'));
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

function placeOf(defect: Defect, model: string, field: string, detail?: string): Place {
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

describe('a sample', () => {
  const all = listTrials(contract);
  const kindsOf = (numbers: readonly number[]) => new Set(numbers.map((number) => all[number]?.defect)).size;
  test('has the size that is wanted, each trial once, and every defect where there is room', () => {
    const drawn = drawTrials(all, 400, 1);
    expect([drawn.length, new Set(drawn).size, kindsOf(drawn)]).toEqual([400, 400, DEFECTS.length]);
    expect(drawTrials(all, 5, 1)).toHaveLength(5);
    expect(drawTrials(all, all.length + 1, 1)).toEqual([...all.keys()]);
  });
  test('is the same for the same seed, and another for another', () => {
    expect(drawTrials(all, 50, 7)).toEqual(drawTrials(all, 50, 7));
    expect(drawTrials(all, 50, 7)).not.toEqual(drawTrials(all, 50, 8));
  });
});

describe('a target in the same process', () => {
  test('counts, records without secrets, and leaves credentials out when told to', async () => {
    const profile = createProfile({ 'auth.scheme': 'apiKey' }, catalogue);
    const mock = await createMock({ catalogue, references, profile });
    const target = createInProcessTarget(mock, credentialsFor(profile));
    const shown: string[] = [];
    const ask = async (without?: 'credentials') => {
      const request = { method: 'GET', path: '/api/model/brand', query: { limit: '1' } };
      const response = await target.send({ ...request, ...(without ? { without } : {}) }, (exchange) =>
        shown.push(JSON.stringify(exchange.request)),
      );
      return response.status;
    };
    expect([await ask(), await ask('credentials'), target.requests()]).toEqual([200, 401, 2]);
    expect(shown.join()).toContain('/api/model/brand?limit=1');
    expect(shown.join()).not.toContain('key"');
  });
});

describe('a wrong supposition', () => {
  const mismatches = listMismatches(catalogue);
  const tryMismatch = createMismatchTrial({ catalogue, references }, fixtures);

  test('is listed for each option of each setting', () => {
    for (const { name, variants } of SETTINGS)
      expect([name, mismatches.filter(({ setting }) => setting.name === name).length]).toEqual([
        name,
        variants.length * (variants.length - 1),
      ]);
  });

  test('differs in that setting alone', () => {
    for (const { setting, spoken, supposed } of mismatches) {
      const differing = Object.entries(spoken).filter(
        ([name, value]) =>
          JSON.stringify(value) !==
          JSON.stringify(Object.entries(supposed).find(([other]) => other === name)?.[1]),
      );
      expect(differing.map(([name]) => name)).toEqual([setting.name]);
    }
  });

  test.each(['delete.effect', 'list.filter'])('about %s is noticed', async (name) => {
    for (const one of mismatches.filter(({ setting }) => setting.name === name))
      expect([nameOfMismatch(one), await tryMismatch(one)]).toEqual([nameOfMismatch(one), 'noticed']);
  });

  test('that can only be blocked is known as such', async () => {
    const one = mismatches.find(({ setting }) => setting.name === 'version.name');
    expect(one?.exception?.shows).toBe('in-operations');
    expect(one && (await tryMismatch(one))).toBe('excepted');
  });

  test('that shows after all is no exception', async () => {
    const one = mismatches.find(({ setting }) => setting.name === 'status.created');
    const exception = { setting: 'status.created', why: 'a test', shows: 'nowhere' } as const;
    expect(one && (await tryMismatch({ ...one, exception }))).toBe('excepted-wrongly');
    expect(findException('status.created', DEFAULT_PROFILE, DEFAULT_PROFILE)).toBeUndefined();
  });
});

test('a service that speaks a profile passes under it and is learned', async () => {
  const profile = createProfile({ 'response.record': '/data', 'types.currency': 'string' }, catalogue);
  const links = new Map([...references].filter(([, link]) => !('to' in link) || few.models.has(link.to)));
  const small = { catalogue: few, references: links, profile };
  const records = new Map([...fixtures].filter(([name]) => few.models.has(name)));
  const verdict = await tryProfile(small, records, { defects: 20, oneIn: 1, learnedOneIn: 3, seed: 1 });
  expect(verdict.bad).toEqual([]);
  expect(verdict.recovered).toBe(verdict.observable);
  expect(verdict.observable).toBeGreaterThan(30);
  expect(verdict.defects).toHaveLength(20);
  expect(verdict.defects.filter(({ caught }) => !caught)).toEqual([]);
});

describe('the tally', () => {
  test('holds everything that stands against the proof', () => {
    const tally = createTally();
    const survivor = {
      name: 'a.b:c',
      caught: false,
      rules: [],
      expected: ['r'],
      instead: ['fail x:c: y'],
      errors: [],
    };
    tally.note({ kind: 'defects', verdicts: [survivor, { ...survivor, caught: true }] });
    tally.note({ kind: 'defects', verdicts: [{ ...survivor, errors: ['error z: oh'] }] });
    tally.note({
      kind: 'mismatches',
      verdicts: [
        ['s', 'unnoticed'],
        ['t', 'noticed'],
        ['u', 'excepted-wrongly'],
        ['v', 'excepted'],
        ['w', 'misjudged'],
      ],
    });
    tally.note({
      kind: 'profile',
      number: 3,
      verdict: { cases: 1, bad: ['fail q'], observable: 1, recovered: 0, defects: [survivor] },
    });
    tally.note({ kind: 'broken', reason: 'boom' });
    expect(tally.problems()).toEqual([
      'the proof broke: boom',
      'survived a.b:c: expected a failure of r; found fail x:c: y',
      'a.b:c: the suite made a mistake: error z: oh',
      'unnoticed s: expected a failure of a rule of the setting',
      'u does not show as mismatch-exceptions.ts says',
      'w fails a stated rule: expected failures of assumed ones alone',
      'profile 3: fail q',
      'profile 3: survived a.b:c: expected a failure of r; found fail x:c: y',
    ]);
  });
});

test.each([
  [
    ['noticed', 'excepted'],
    "1 of 1 wrong suppositions noticed by a rule of the setting (1 more can't be), none held",
  ],
  [
    ['noticed', 'misjudged', 'misjudged'],
    "1 of 3 wrong suppositions noticed by a rule of the setting (0 more can't be), 2 held",
  ],
] as const)('what became of settings that were %j is said in a line', (verdicts, said) => {
  const tally = createTally();
  tally.note({ kind: 'mismatches', verdicts: verdicts.map((verdict) => ['s', verdict]) });
  expect(describeMismatches(tally, 2)).toBe(`settings: ${said} against the service, in 2 s`);
});

describe('the command', () => {
  async function prove(...flags: string[]) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'prove.ts'), ...flags]);
    const [output, complaints, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve) => child.once('close', resolve)),
    ]);
    return { output, complaints, code };
  }

  test('tries one kind of defect in some of its places', async () => {
    const { code, output } = await prove('--only', 'fields.id-as-text', '--sample', '4', '--seed', '4');
    expect(output).toMatch(/^defects: 4 of 4 caught \(1 kinds, \d+ models, drawn from 210\) in \d+ s\n$/);
    expect(code).toBe(0);
  });

  test.each([
    [['--only', 'delet'], /^--only is "delet"; .* Did you mean delete\?$/m],
    [['--sample', 'all'], /^--sample is "all"; expected a whole number$/m],
  ])('refuses %j', async (flags, reason) => {
    const { code, complaints } = await prove(...flags);
    expect([code, complaints]).toEqual([2, expect.stringMatching(reason)]);
  });
});
