import { expect, test } from 'vitest';
import type { Defect, DefectPlace } from '../../mock/defects/defect.ts';
import { DEFECTS } from '../../mock/defects/defects.ts';
import { createMock } from '../../mock/mock.ts';
import { createProfile, DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { demo as fixtures } from '../../testing/demo.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { createTrial } from './defect-trial.ts';
import { describeSurvivor } from './summary.ts';

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

test('the trial of a defect reports one that changes nothing as a survivor', async () => {
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

test('the trial of a defect reports one that only another rule sees as a survivor, with what was seen', async () => {
  const mislabeled = { ...defectNamed('create.drops-field'), rules: ['absent.put'] };
  const verdict = await (await trial)(mislabeled, placeOf(mislabeled, 'brand', 'name'));
  expect(verdict.caught).toBe(false);
  expect(verdict.instead.join()).toMatch(/fail create\.keeps-field:brand\.name/);
});

test('the trial of a defect refuses to begin where a service without a defect fails', async () => {
  const profile = createProfile({ 'status.created': 200 }, catalogue);
  const other = createTrial(contract, fixtures, await createMock({ ...contract, profile, fixtures }));
  const defect = defectNamed('fields.id-as-text');
  await expect((await other)(defect, placeOf(defect, 'brand', 'id', 'list'))).rejects.toThrow(
    'brand is not green without a defect',
  );
});

function placeOf(defect: Defect, model: string, field: string, detail?: string): DefectPlace {
  const found = defect
    .places(modelNamed(model), contract)
    .find((place) => place.field?.name === field && place.detail === detail);
  if (!found) throw new Error(`${defect.name} does not apply to ${model}.${field}`);
  return found;
}
