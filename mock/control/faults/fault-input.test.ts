/** The mock refuses faults and records that would break a response, before it stores them. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { serveMock } from '../../../testing/mocks/control.ts';
import { few, references } from '../../../testing/mocks/mocks.ts';
import { useDirectory } from '../../../testing/temporary-directory.ts';
import { createMock } from '../../mock.ts';
import { type FaultRule, readFaultFile } from './fault-rule.ts';

const LIST = '/api/model/warehouse';
const base = { catalogue: few, references, fixtures: { warehouse: [{ id: 1, name: 'Central' }] } };
const { write } = useDirectory();
const started = await serveMock(base);
afterAll(() => started.mock.close());

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

const REFUSED: readonly (readonly [what: string, rule: FaultRule, message: RegExp])[] = [
  [
    'a header with a line break',
    { status: 503, headers: { 'x-a': 'b\r\nset-cookie: c=d' } },
    /x-a.*line breaks/,
  ],
  ['the name of a header with a line break', { status: 503, headers: { 'x\r\na': 'b' } }, /header name/],
  ['a wrong length', { status: 503, headers: { 'Content-Length': '1' } }, /Content-Length.*Remove/],
  ['a status without a reason phrase', { status: 299 }, /status 299.*such as 503/],
  ['a body nested deep', { body: { a: nested(200) } }, /100 levels/],
  ['no effect', {}, /no effect/],
  ['both nth and every', { status: 503, nth: 2, every: 2 }, /exclude each other/],
  [
    'an unknown operation',
    { status: 500, match: { operation: 'createWarehous' } },
    /Unknown operation "createWarehous"\. Did you mean "createWarehouse"\?/,
  ],
  ['an unknown path', { status: 500, match: { path: '*/warehous/*' } }, /Did you mean "\*\/warehouse\/\*"\?/],
  ['an unknown condition', { status: 500, match: { modl: 'warehouse' } as object }, /Did you mean model\?/],
  ['a session', { status: 500, match: { session: 'a' } as object }, /\/match\/session is not a known member/],
  ['a count of 0', { status: 503, every: 0 }, /\/every must be at least 1/],
];

describe.each(REFUSED)('a fault with %s', (_, rule, message) => {
  test('is refused over HTTP, in process, in the options, and in a file', async () => {
    const refused = await started.ask('POST', '/__mock/faults', rule);
    expect(refused).toMatchObject({ status: 422, body: { detail: expect.stringMatching(message) } });
    await expect(started.mock.fault(rule)).rejects.toThrow(message);
    await expect(createMock({ ...base, faults: [rule] })).rejects.toThrow(message);
    const file = write('faults.yaml', `- stat: 500\n- ${JSON.stringify(rule)}\n`);
    expect(() => readFaultFile(file, few)).toThrow(message);
    expect(() => readFaultFile(file, few)).toThrow(/faults\.yaml:2: /);
    expect((await started.ask('GET', '/__mock/faults')).body.faults).toEqual([]);
    expect((await started.ask('GET', LIST)).status).toBe(200);
  });
});

test('values nested deep are refused in fixtures, in a state, and in a record', async () => {
  const name = nested(200_000);
  const state = { warehouse: [{ id: 1, name }] };
  const message = /has more than 100 levels of nesting\. Use fewer\./;
  const endless: Record<string, unknown> = {};
  endless.name = endless;
  await expect(createMock({ ...base, fixtures: state })).rejects.toThrow(message);
  await expect(started.mock.setState(state)).rejects.toThrow(message);
  await expect(started.mock.setState({ warehouse: [endless] })).rejects.toThrow(message);
  for (const values of [{ name }, endless]) {
    await expect(started.mock.records('warehouse').create(values)).rejects.toThrow(message);
    await expect(started.mock.records('warehouse').update(1, values)).rejects.toThrow(message);
  }
  expect((await started.ask('GET', LIST)).body).toHaveLength(1);
});

test.each(['unknown members', 'invalid headers'])(
  'a fault with many %s is refused with the first of them',
  async (what) => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`a b${index}`, 'c']));
    const fault = what === 'invalid headers' ? { status: 503, headers: many } : { status: 503, ...many };
    const { body, status } = await started.ask('POST', '/__mock/faults', fault);
    expect(status).toBe(422);
    expect(body.detail).toContain('a b0');
    expect(body.detail?.length).toBeLessThan(10_000);
  },
);

test('a fault that refers to itself is refused in process', async () => {
  const body: Record<string, unknown> = {};
  body.self = body;
  await expect(started.mock.fault({ body })).rejects.toThrow('JSON');
});

describe('a fault with a status that has no body', () => {
  afterEach(() => started.mock.clearFaults());
  test.each([204, 205, 304])('%i works over HTTP and in process', async (status) => {
    await started.mock.fault({ status, body: 'none', times: 2 });
    expect((await started.ask('GET', LIST)).status).toBe(status);
    expect((await started.mock.fetch(new Request(`http://mock.invalid${LIST}`))).status).toBe(status);
    expect((await started.ask('GET', LIST)).status).toBe(200);
  });
});
