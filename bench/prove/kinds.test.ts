import { expect, test } from 'vitest';
import { DEFECTS, nameOfPlace } from '../../mock/defects/defects.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { demo } from '../../testing/demo.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { createTrial } from './defect-trial.ts';
import { drawKinds, listTrials } from './trials.ts';

const contract = { catalogue, references, profile: DEFAULT_PROFILE };
const trial = createTrial(contract, demo);
const drawn = drawKinds(listTrials(contract), DEFECTS.length, 1);

test('each kind of defect has a place in the sample', () => {
  expect(new Set(drawn.map(({ defect }) => defect))).toEqual(new Set(DEFECTS));
});

test.each(drawn.map(({ defect, place }) => [`${defect.name}:${nameOfPlace(place)}`, defect, place] as const))(
  'check detects the defect %s',
  async (_, defect, place) => {
    const { caught, errors, instead } = await (await trial)(defect, place);
    expect({ caught, errors, instead }).toEqual({ caught: true, errors: [], instead: [] });
  },
);
