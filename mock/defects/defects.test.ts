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

test('the catalogue of defects has a change for each row, and a row for each change', () => {
  const changes = new Set([REQUESTS, WRITTEN, LISTED, RESPONSES].flatMap((table) => Object.keys(table)));
  expect([...changes].sort()).toEqual(DEFECTS.map(({ name }) => name).sort());
});

test('the catalogue of defects gives each a name of its own, a sentence and the rules about it', () => {
  expect(new Set(DEFECTS.map(({ name }) => name)).size).toBe(DEFECTS.length);
  for (const { name, rules, violates } of DEFECTS) {
    expect(name).toMatch(/^[a-z]+\.[a-z]+(-[a-z]+)*$/);
    expect(violates).toMatch(/^[a-z].*[^.]$/);
    expect(rules.length).toBeGreaterThan(0);
  }
});

test('the catalogue of defects has a place for each defect, and each place once', () => {
  for (const defect of DEFECTS) {
    const places = [...catalogue.models.values()].flatMap((model) => defect.places(model, contract));
    const names = places.map(nameOfPlace);
    expect([defect.name, names.length]).not.toEqual([defect.name, 0]);
    expect(new Set(names).size).toBe(names.length);
  }
});

test('the catalogue of defects reaches every model, and every field of it', () => {
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
])('what is written after --defect %s stands in %i places', (text, places) => {
  if (places === 0)
    expect(complaintOf(() => parseDefect(text, contract))).toMatch(
      /Unknown detail "\\"no-member\\"" in --defect values\.outside-accepted-on-create\. Did you mean "no-member"\?$/,
    );
  else expect(parseDefect(text, contract).places).toHaveLength(places);
});

test('what is written after --defect applies to nothing where the profile has nothing of the kind', () => {
  const profile = { ...DEFAULT_PROFILE, 'list.paging': 'none' as const };
  expect(() => parseDefect('list.pages-overlap', { ...contract, profile })).toThrow(
    /--defect list\.pages-overlap has no effect with this catalogue and profile\. Use another defect, model, or profile\./,
  );
});
