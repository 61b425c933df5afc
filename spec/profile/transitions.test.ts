import { describe, expect, test } from 'vitest';
import { useProfileFile } from '../../testing/input-files/profile-file.ts';

const { complaint } = useProfileFile();

describe('a profile is refused, with file and line,', () => {
  const stock = 'stockOrder.status';
  test.each<[string, string, string]>([
    [
      'for other transitions',
      'transitions: none',
      'transitions is "none"; expected any, or for a status field the values',
    ],
    [
      'for transitions of an unknown field',
      'transitions: { stockOrder.sttus: {} }',
      'Did you mean stockOrder.status?',
    ],
    [
      'for transitions of a field below a field',
      `transitions: { ${stock}.x: { 0: [1] } }`,
      `a field of transitions is "${stock}.x"`,
    ],
    [
      'for transitions of a field that is no select',
      'transitions: { warehouse.name: {} }',
      'a field of transitions is "warehouse.name"',
    ],
    [
      'for transitions without a value list',
      'transitions: { customer.language: {} }',
      'transitions names customer.language, which has no value list',
    ],
    [
      'for transitions from an unknown state',
      `transitions:\n  ${stock}: { 9: [1] }`,
      `p.yaml:2: a state of ${stock} is 9; expected 0, 1, 2 or 3`,
    ],
    [
      'for transitions to an unknown state',
      `transitions: { ${stock}: { 0: [4] } }`,
      `a state of ${stock} is 4; expected 0, 1, 2 or 3`,
    ],
    ['for transitions to no list', `transitions: { ${stock}: { 0: 1 } }`, 'found 1; expected a list'],
    [
      'for transitions of the prototype',
      'transitions: { __proto__: { 0: [1] } }',
      'a field of transitions is "__proto__"',
    ],
  ])('%s', (_name, text, expected) => {
    expect(complaint(text)).toContain(expected);
  });
});
