import { expect, test } from 'vitest';
import { checkShape } from './shape.ts';
import { UsageError } from './usage-error.ts';
import { readYaml } from './yaml-file.ts';

const row = (text: string) => `- case: c\n  reason: r\n  until: 2026-03-31\n${text}`;

test.each([
  [
    'an unknown key',
    row('  resaon: x'),
    /^f:4: the key is "resaon"; expected case, reason or until\. Did you mean reason\?$/,
  ],
  ['a missing key of an item', '\n- case: c', /^f:2: reason is missing; expected \{ case, reason, until \}$/],
  ['a value of another type', '- { case: c,\n  reason: 7, until: x }', /^f:2: found 7; expected a text$/],
  ['a list in place of a mapping', '- [c]', /^f:1: found a list; expected a mapping$/],
  ['a mapping in place of a list', 'case: c', /^f:1: found a mapping; expected a list$/],
  [
    'a form that is said in words',
    '- { case: c, reason: r, until: soon }',
    /until is "soon"; expected a day such as 2026-03-31$/,
  ],
  ['a key of the prototype', row('  __proto__: x'), /the key is "__proto__"/],
])('%s is told with file and line', (_name, text, message) => {
  expect(() => checkShape(readYaml(text, 'f'), 'baseline')).toThrow(UsageError);
  expect(() => checkShape(readYaml(text, 'f'), 'baseline')).toThrow(message);
});

test('a missing key of a named row is told by the name of the row', () => {
  expect(() => checkShape(readYaml('a/b:\n  says: x', 'f'), 'requirements')).toThrow(
    /^f:2: a\/b has no section; expected a text$/,
  );
});

test('what obeys is taken', () => {
  expect(() => checkShape(readYaml(row(''), 'f'), 'baseline')).not.toThrow();
});
