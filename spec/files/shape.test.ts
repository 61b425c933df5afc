import { expect, test } from 'vitest';
import { checkShape } from './shape.ts';
import { UsageError } from './usage-error.ts';
import { readYaml } from './yaml-file.ts';

const row = (text: string) => `- case: c\n  reason: r\n  until: 2026-03-31\n${text}`;

test.each([
  ['an unknown key', row('  resaon: x'), /^f:4: Unknown key "resaon"\. Did you mean "reason"\?$/],
  [
    'a missing key of an item',
    '\n- case: c',
    /^f:2: reason is missing\. Expected the keys case, reason, until\.\nf:2: until is missing\. Expected the keys case, reason, until\.$/,
  ],
  [
    'a value of another type',
    '- { case: c,\n  reason: 7, until: x }',
    /^f:2: Expected a string, but found 7\.\nf:2: until must be a date such as 2026-03-31, but is "x"\.$/,
  ],
  ['a list in place of a mapping', '- [c]', /^f:1: Expected a mapping, but found a list\.$/],
  ['a mapping in place of a list', 'case: c', /^f:1: Expected a list, but found a mapping\.$/],
  [
    'a key of the prototype',
    row('  __proto__: x'),
    /Unknown key "__proto__"\. Use "case", "reason", or "until"/,
  ],
])('%s is told with file and line', (_name, text, message) => {
  expect(() => checkShape(readYaml(text, 'f'), 'baseline')).toThrow(UsageError);
  expect(() => checkShape(readYaml(text, 'f'), 'baseline')).toThrow(message);
});

test('a missing key of a named row is told by the name of the row', () => {
  expect(() => checkShape(readYaml('a/b:\n  says: x', 'f'), 'requirements')).toThrow(
    /^f:2: section is missing in a\/b\. Add a string\.$/,
  );
});

test('what obeys is taken', () => {
  expect(() => checkShape(readYaml(row(''), 'f'), 'baseline')).not.toThrow();
});
