import { expect, test } from 'vitest';
import { STATED } from '../../conformance/rules/rules.ts';
import type { Defect } from '../../mock/defects/defect.ts';
import { DEFECTS, nameOfPlace } from '../../mock/defects/defects.ts';
import { loadContract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { loadRequirements } from '../../spec/requirements.ts';
import { demo } from '../../testing/demo.ts';
import { createTrial } from './defect-trial.ts';
import { createForks } from './run-on.ts';
import { describeSurvivor } from './summary.ts';
import { listTrials, type PlacedOnce } from './trials.ts';

const contract = loadContract();
const trial = createTrial(contract, demo);
const kinds = Map.groupBy(listTrials(contract), ({ defect }) => defect);
const sizeOf = ({ place }: PlacedOnce) => place.model.fields.length;
/** Each kind of defect, at a place in a model with few fields. */
const tried = [...kinds.values()].flatMap((places) =>
  places.toSorted((one, other) => sizeOf(one) - sizeOf(other)).slice(0, 1),
);
const verdictOf = onceFor(async ({ defect, place }: PlacedOnce) => (await trial)(defect, place));

test('each kind of defect has a place', () => {
  expect(new Set(kinds.keys())).toEqual(new Set(DEFECTS));
});

test.each(tried.map((one) => [`${one.defect.name}:${nameOfPlace(one.place)}`, one] as const))(
  'check detects the defect %s',
  async (_, one) => {
    expect(await verdictOf(one)).toMatchObject({ caught: true, errors: [], hidden: [], instead: [] });
  },
);

test('each statement that a rule can test is broken by a defect', async () => {
  const verdicts = await Promise.all(tried.map(verdictOf));
  const failed = new Set(verdicts.flatMap(({ rules }) => rules));
  const stated = new Set(STATED.map(({ id }) => id));
  const held = [...loadRequirements().values()].flatMap(({ id, rules }) => {
    const own = rules.filter((rule) => stated.has(rule));
    return own.length === 0 || own.some((rule) => failed.has(rule)) ? [] : id;
  });
  expect(held).toEqual([]);
});

const { defect, place } = tried.find((one) => one.defect.name === 'create.drops-field') as PlacedOnce;

test.each<[string, Partial<Defect>, RegExp]>([
  ['without effect', { record: () => ({}) }, /: expected .*; found nothing$/],
  ['that only another rule detects', { rules: ['absent.put'] }, /of absent\.put; found fail create\./],
])('the trial of a defect %s reports a survivor, and what was found', async (_, change, said) => {
  const verdict = await (await trial)({ ...defect, ...change }, place);
  expect(verdict).toMatchObject({ caught: false, rules: [] });
  expect(describeSurvivor(verdict)).toMatch(said);
});

test('the trial of a defect stops if the service fails without the defect', async () => {
  const profile = createProfile({ 'status.created': 200 }, contract.catalogue);
  const other = createTrial(contract, demo, createForks({ ...contract, profile }, demo));
  await expect((await other)(defect, place)).rejects.toThrow(' is not green without a defect');
});
