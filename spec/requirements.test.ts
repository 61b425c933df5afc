import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RULES } from '../conformance/plan/plan.ts';
import { complaintOf } from '../testing/input-files/complaint.ts';
import { useDirectory } from '../testing/temporary-directory.ts';
import { loadRequirements } from './requirements.ts';

const requirements = loadRequirements();

const { write } = useDirectory();

const load = (text: string) => loadRequirements(join(write('requirements.yaml', text), '../catalogue'));

const complaint = (text: string) => complaintOf(() => load(text));

describe('the ledger of requirements', () => {
  const named = [...requirements.values()].flatMap(({ id, rules }) =>
    rules.map((rule) => ({ requirement: id, rule })),
  );

  test('names only existing rules', () => {
    const ids = new Set(RULES.map((rule) => rule.id));
    expect(named.filter(({ rule }) => !ids.has(rule))).toEqual([]);
  });

  test('lists each rule in the row that the rule names', () => {
    const astray = RULES.filter((rule) => !requirements.get(rule.requirement)?.rules.includes(rule.id));
    expect(astray.map(({ id, requirement }) => ({ id, requirement }))).toEqual([]);
    expect(RULES.length).toBeGreaterThan(30);
  });

  test('names a rule once per row, and rule IDs are unique', () => {
    for (const { rules } of requirements.values()) expect(new Set(rules).size).toBe(rules.length);
    expect(new Set(RULES.map((rule) => rule.id)).size).toBe(RULES.length);
  });

  test('covers sections 1 to 9 of the source', () => {
    const sections = [...requirements.values()].flatMap(({ section }) =>
      section.split(/[,;] *| to /).map((part) => Number(/^\d+/.exec(part)?.[0])),
    );
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9]) expect(sections).toContain(number);
    expect(sections.filter((number) => number > 9)).toEqual([]);
  });

  test('gives a reason if no rule can test a statement', () => {
    for (const { id, rules, untestable } of requirements.values())
      expect([id, rules.length === 0]).toEqual([id, untestable !== undefined]);
    expect(requirements.get('events-not-shown')?.untestable).toMatch(/\.$/);
  });
});

test('rows are read with their members', () => {
  const text =
    'a:\n  section: "1"\n  says: A.\n  rules: [x.y, z]\nb: { section: 2, rule 1, says: B., untestable: So. }\n';
  expect([...load(text.replace('2, rule 1', '"2"')).values()]).toEqual([
    { id: 'a', section: '1', says: 'A.', rules: ['x.y', 'z'] },
    { id: 'b', section: '2', says: 'B.', rules: [], untestable: 'So.' },
  ]);
});

const row = (rest: string) =>
  `first: { section: "1", says: A., rules: [a] }\nrow: { section: "1", says: A.${rest} }`;
test.each([
  [row(''), /requirements\.yaml:2: row needs either rules or untestable\. Add one of them\.$/],
  [row(', rules: [a], untestable: So.'), /row needs either rules or untestable\. Add one of them\./],
  [row(', rule: [a]'), /requirements\.yaml:2: Unknown key "rule"\. Did you mean "rules"\?$/],
  ['row: { says: A., rules: [a] }', /requirements\.yaml:1: section is missing in row\. Add a string\.$/],
])('an invalid row is rejected, with file and line, for %j', (text, reason) => {
  expect(complaint(text)).toMatch(reason);
});
