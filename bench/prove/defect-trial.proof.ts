import { expect, test } from 'vitest';
import type { Defect, DefectPlace } from '../../mock/defects/defect.ts';
import { parseDefect } from '../../mock/defects/defects.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { catalogue, contract } from '../../testing/checks.ts';
import { demo as fixtures } from '../../testing/demo.ts';
import { createTrial } from './defect-trial.ts';
import { createForks } from './run-on.ts';
import { describeSurvivor } from './summary.ts';

const trial = createTrial(contract, fixtures);

/** Returns a defect that the text names, and its place. */
function placed(text: string): { readonly defect: Defect; readonly place: DefectPlace } {
  const { defect, places } = parseDefect(text, contract);
  return { defect, place: places[0] as DefectPlace };
}

test('the trial of a defect without effect reports a survivor', async () => {
  const invisible: Defect = {
    name: 'test.changes-nothing',
    violates: 'changes nothing',
    rules: ['create.keeps-field'],
    places: (model) => [{ model }],
    record: () => ({}),
  };
  const { model } = placed('absent.put-works:brand').place;
  const verdict = await (await trial)(invisible, { model });
  expect(verdict).toMatchObject({ caught: false, rules: [], instead: [], expected: invisible.rules });
  expect(describeSurvivor(verdict)).toBe(
    'survived test.changes-nothing:brand: expected a failure of create.keeps-field; found nothing',
  );
});

test('the trial of a defect that only another rule detects reports a survivor, with what was found', async () => {
  const { defect, place } = placed('create.drops-field:brand.name');
  const verdict = await (await trial)({ ...defect, rules: ['absent.put'] }, place);
  expect(verdict.caught).toBe(false);
  expect(verdict.instead.join()).toMatch(/fail create\.keeps-field:brand\.name/);
});

test('the trial of a defect stops if the service fails without the defect', async () => {
  const profile = createProfile({ 'status.created': 200 }, catalogue);
  const other = createTrial(contract, fixtures, createForks({ ...contract, profile }, fixtures));
  const { defect, place } = placed('fields.id-as-text:brand.id=list');
  await expect((await other)(defect, place)).rejects.toThrow('brand is not green without a defect');
});
