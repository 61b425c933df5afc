import { expect, test } from 'vitest';
import { DEFECTS, nameOfPlace } from '../../mock/defects/defects.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { demo } from '../../testing/demo.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { createTrial } from './defect-trial.ts';
import { listTrials, type PlacedOnce } from './trials.ts';

const contract = { catalogue, references, profile: DEFAULT_PROFILE };
const trial = createTrial(contract, demo);
const kinds = Map.groupBy(listTrials(contract), ({ defect }) => defect.name);
const sizeOf = ({ place }: PlacedOnce) => place.model.fields.length;
/** Each kind at a place in a model with few fields. */
const tried = [...kinds.values()].flatMap((places) =>
  places.toSorted((one, other) => sizeOf(one) - sizeOf(other)).slice(0, 1),
);

test('each kind of defect has a place', () => {
  expect(new Set(tried.map(({ defect }) => defect))).toEqual(new Set(DEFECTS));
});

test.each(tried.map(({ defect, place }) => [`${defect.name}:${nameOfPlace(place)}`, defect, place] as const))(
  'check detects the defect %s',
  async (_, defect, place) => {
    const { caught, errors, instead } = await (await trial)(defect, place);
    expect({ caught, errors, instead }).toEqual({ caught: true, errors: [], instead: [] });
  },
);
