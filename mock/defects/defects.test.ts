import { expect, test } from 'vitest';
import type { Contract } from '../../spec/contract.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { complaintOf } from '../../testing/input-files/complaint.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { SOURCE } from '../../testing/source-facts.ts';
import { DEFECTS, nameOfPlace, parseDefect } from './defects.ts';
import { LISTED } from './listed.ts';
import { REQUESTS } from './requests.ts';
import { RESPONSES } from './responses.ts';
import { WRITTEN } from './written.ts';

const contract: Contract = { catalogue, references, profile: DEFAULT_PROFILE };

test('each listed defect has an implementation, and each implementation is listed', () => {
  const changes = new Set([REQUESTS, WRITTEN, LISTED, RESPONSES].flatMap((table) => Object.keys(table)));
  expect([...changes].sort()).toEqual(DEFECTS.map(({ name }) => name).sort());
});

test('each defect has a unique name, a description, and rules', () => {
  expect(new Set(DEFECTS.map(({ name }) => name)).size).toBe(DEFECTS.length);
  for (const { name, rules, violates } of DEFECTS) {
    expect(name).toMatch(/^[a-z]+\.[a-z]+(-[a-z]+)*$/);
    expect(violates).toMatch(/^[a-z].*[^.]$/);
    expect(rules.length).toBeGreaterThan(0);
  }
});

test('each defect has places, without duplicates', () => {
  for (const defect of DEFECTS) {
    const places = [...catalogue.models.values()].flatMap((model) => defect.places(model, contract));
    const names = places.map(nameOfPlace);
    expect([defect.name, names.length]).not.toEqual([defect.name, 0]);
    expect(new Set(names).size).toBe(names.length);
  }
});

test('the defects cover each model and each field', () => {
  const reached = new Set(
    DEFECTS.flatMap((defect) =>
      [...catalogue.models.values()].flatMap((model) =>
        defect.places(model, contract).map(({ field }) => field?.key ?? model.name),
      ),
    ),
  );
  const all = [...catalogue.models.values()].flatMap(({ fields, name }) => [
    name,
    ...fields.map(({ key }) => key),
  ]);
  expect(all.filter((name) => !reached.has(name))).toEqual([]);
});

test.each([
  ['delete.does-nothing', SOURCE.totals.models - SOURCE.readOnly.length],
  ['delete.does-nothing:brand', 1],
  ['create.drops-field:warehouse.name', 1],
  ['fields.missing:brand.name=list', 1],
  ['values.outside-accepted-on-create:locker.status="no-member"', 0],
  ['values.outside-accepted-on-create:locker.status=-1', 1],
])('the argument --defect %s applies to %i places', (text, places) => {
  if (places === 0)
    expect(complaintOf(() => parseDefect(text, contract))).toMatch(
      /Unknown detail "\\"no-member\\"" in --defect values\.outside-accepted-on-create\. Did you mean "no-member"\?$/,
    );
  else expect(parseDefect(text, contract).places).toHaveLength(places);
});

test("a defect that can't occur under the profile is rejected", () => {
  const profile = { ...DEFAULT_PROFILE, 'list.paging': 'none' as const };
  expect(() => parseDefect('list.pages-overlap', { ...contract, profile })).toThrow(
    /--defect list\.pages-overlap has no effect with this catalogue and profile\. Use another defect, model, or profile\./,
  );
});
