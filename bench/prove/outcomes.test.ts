import { expect, test } from 'vitest';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { demo } from '../../testing/demo.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { createOutcomes, differencesOf, drawnTrials, nameOf, readTable } from './outcomes.ts';

const contract = { catalogue, references, profile: DEFAULT_PROFILE };

test('each case says of a defect what the committed table says; `npm run prove:outcomes` tries all', async () => {
  const table = readTable('defects');
  const trials = drawnTrials(contract);
  expect(table.size).toBe(trials.length);
  const outcomes = await createOutcomes(contract, demo);
  for (const trial of trials.filter((_, index) => index % 20 === 0)) {
    const found = await outcomes(trial);
    expect([nameOf(found), ...differencesOf(table.get(nameOf(found)), found)]).toEqual([nameOf(found)]);
  }
});

test('a case that says something else is named', () => {
  const known = 'a:brand\n  fail b: brand.name\n  skip c: brand';
  expect(differencesOf(known, known)).toEqual([]);
  expect(differencesOf(known, 'a:brand\n  fail b: brand.name\n  fail c: brand')).toEqual([
    '-  skip c: brand',
    '+  fail c: brand',
  ]);
});
