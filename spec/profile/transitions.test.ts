import { describe, expect, test } from 'vitest';
import { useProfileFile } from '../../testing/input-files/profile-file.ts';

const { complaint } = useProfileFile();

describe('a profile is refused, with file and line,', () => {
  const stock = 'stockOrder.status';
  test.each<[string, string]>([
    [
      'transitions: none',
      'transitions must be any, or a mapping from status fields to the moves of each value, but is "none".',
    ],
    [
      'transitions: { stockOrder.sttus: {} }',
      'Unknown field "stockOrder.sttus" in transitions. Did you mean "stockOrder.status"?',
    ],
    [
      'transitions: { warehouse.name: {} }',
      'Unknown field "warehouse.name" in transitions. Use one of 14 names, such as "customer.gender", "customer.language", "locker.status", "voucherType.kind", or "crmContact.gender".',
    ],
    [
      'transitions: { customer.language: {} }',
      `transitions can't name customer.language because that field has no value list. Use a field with states, such as a status.`,
    ],
    [`transitions:\n  ${stock}: { 9: [1] }`, `p.yaml:2: Unknown state 9 for ${stock}. Use 0, 1, 2, or 3.`],
    [`transitions: { ${stock}: { 0: [4] } }`, `Unknown state 4 for ${stock}. Use 0, 1, 2, or 3.`],
    [`transitions: { ${stock}: { 0: 1 } }`, 'Expected a list, but found 1.'],
    [
      'transitions: { __proto__: { 0: [1] } }',
      'Unknown field "__proto__" in transitions. Use one of 14 names, such as "locker.status", "customer.gender", "crmContact.gender", "stockOrder.status", or "voucherType.kind".',
    ],
  ])('for %j', (text, expected) => {
    expect(complaint(text)).toContain(expected);
  });
});
