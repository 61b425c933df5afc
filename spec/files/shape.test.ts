import { expect, test } from 'vitest';
import { complaintOf } from '../../testing/input-files/complaint.ts';
import { checkShape } from './shape.ts';
import { readYaml } from './yaml-file.ts';

const complaint = (text: string, schema = 'baseline') =>
  complaintOf(() => checkShape(readYaml(text, 'f'), schema));

const row = (text: string) => `- case: c\n  reason: r\n  until: 2026-03-31\n${text}`;

const MISTAKES: Readonly<Record<string, readonly [text: string, message: RegExp]>> = {
  'an unknown key': [row('  resaon: x'), /^f:4: Unknown key "resaon"\. Did you mean "reason"\?$/],
  'a missing key of an item': [
    '\n- case: c',
    /^f:2: reason is missing\. Expected the keys case, reason, until\.\nf:2: until is missing\. Expected the keys case, reason, until\.$/,
  ],
  'a value of the wrong type': [
    '- { case: c,\n  reason: 7, until: x }',
    /^f:2: Expected a string for reason, but found 7\.\nf:2: until must be a date such as 2026-03-31, but is "x"\.$/,
  ],
  'a list in place of a mapping': ['- [c]', /^f:1: Expected a mapping, but found a list\.$/],
  'a mapping in place of a list': ['case: c', /^f:1: Expected a list, but found a mapping\.$/],
  'a key of the prototype': [
    row('  __proto__: x'),
    /Unknown key "__proto__"\. Use "case", "reason", or "until"/,
  ],
};

test.each(Object.entries(MISTAKES))('%s is reported with file and line', (_, [text, message]) => {
  expect(complaint(text)).toMatch(message);
});

test('a missing key of a named row is reported with the name of the row', () => {
  expect(complaint('a/b:\n  says: x', 'requirements')).toBe('f:2: section is missing in a/b. Add a string.');
});

test('a wrong item is reported with the name of its list', () => {
  const text = 'a/b: { section: "1", says: x, rules: [a, 7] }';
  expect(complaint(text, 'requirements')).toBe('f:1: Expected a string for an item of rules, but found 7.');
});

test('the message of a file with many wrong values says that there can be more', () => {
  const nested = Array.from({ length: 60 }, (_, index) => `- { case: c${index}, reason: 7, until: 8 }`);
  expect(complaint(nested.join('\n'))).toMatch(/There are at least 30 more mistakes\.$/);
});

test('a valid file is accepted', () => {
  expect(complaint(row(''))).toBe('no complaint');
});
