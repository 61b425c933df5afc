import { describe, expect, test } from 'vitest';
import { startMock } from '../../testing/mocks/mocks.ts';

/** The ids of records that have the values in a field, in the order of the values, when sorted by it. */
async function sorted(
  model: string,
  base: Record<string, unknown>,
  field: string,
  values: readonly unknown[],
  settings: Record<string, unknown> = {},
): Promise<[up: unknown[], down: unknown[]]> {
  const records = values.map((value, index) => ({
    ...base,
    id: index + 1,
    ...(value === null ? {} : { [field]: value }),
  }));
  const { ask } = await startMock(settings, { fixtures: new Map([[model, records]]) });
  const shown = async (sort: string) =>
    ((await ask('GET', `/${model}?sort=${sort}`)).body as { id: number }[]).map(({ id }) => values[id - 1]);
  return [await shown(field), await shown(`-${field}`)];
}

const voucherType = { name: 'a', kind: 1, product: 1 };
const tag = { customer: 1, tag: 1 };

describe('a list is sorted by', () => {
  test('points in time, whether they have parts of a second or not', async () => {
    const times = ['00.500Z', '01Z', '00Z', '00.050Z'].map((second) => `2025-10-22T09:30:${second}`);
    const [up, down] = await sorted('customerToTag', tag, 'start', times);
    const expected = ['00Z', '00.050Z', '00.500Z', '01Z'].map((second) => `2025-10-22T09:30:${second}`);
    expect([up, down]).toEqual([expected, expected.toReversed()]);
  });

  test.each([
    ['iso8601', ['P180D', 'P1Y', 'PT100S', 'P90D', 'PT9S', 'P13W']],
    ['seconds', ['P180D', 'P1Y', 'PT100S', 'P90D', 'PT9S', 'P13W']],
  ])('the length of durations, in %s', async (form, values) => {
    const settings = { 'types.duration': form };
    const [up, down] = await sorted('voucherType', voucherType, 'expiration', values, settings);
    const expected = ['PT9S', 'PT100S', 'P90D', 'P13W', 'P180D', 'P1Y'];
    expect([up, down]).toEqual([expected, expected.toReversed()]);
  });

  test('no value last either way', async () => {
    const ways = await sorted('voucherType', voucherType, 'expiration', [null, 'P2D', null, 'P1D']);
    expect(ways).toEqual([
      ['P1D', 'P2D', null, null],
      ['P2D', 'P1D', null, null],
    ]);
  });
});
