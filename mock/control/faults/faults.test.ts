import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { problem, serveMock } from '../../../testing/mocks/control.ts';
import { FEW_MODELS, few } from '../../../testing/mocks/mocks.ts';
import { useDirectory } from '../../../testing/temporary-directory.ts';
import { expectTranscript } from '../../../testing/transcripts/transcripts.ts';
import { connectMock } from '../../adapters/remote.ts';
import { createMock } from '../../mock.ts';
import { type FaultRule, readFaultFile } from './fault-rule.ts';
import { createFaults } from './faults.ts';

expectTranscript(import.meta.dirname, 'faults');

const API = '/api/model';

const started = await serveMock(FEW_MODELS);
afterAll(() => started.mock.close());
beforeEach(() => started.mock.reset());

const add = async (rule: FaultRule) =>
  (await started.ask<{ id: string }>('POST', '/__mock/faults', rule)).body.id;
const list = (headers = {}) => started.ask('GET', `${API}/warehouse`, undefined, headers);
const create = (headers = {}) => started.ask('POST', `${API}/warehouse`, { name: 'a' }, headers);

test('a fault can be enabled and disabled in the process and remotely, only in its session', async () => {
  const [near, far] = [started.mock.session('a'), connectMock(started.url).session('a')];
  const id = await far.fault({ status: 500 });
  const status = async () => (await list({ 'x-mock-session': 'a' })).status;
  await near.setFault(id, { enabled: false });
  expect([await status(), (await far.faults())[0]?.enabled]).toEqual([200, false]);
  await far.setFault(id, { enabled: true });
  expect([await status(), (await near.faults())[0]?.enabled]).toEqual([500, true]);
  await expect(near.setFault('9', { enabled: true })).rejects.toThrow('This session has no fault "9".');
  await expect(started.mock.setFault(id, { enabled: false })).rejects.toThrow('no fault');
  await expect(far.setFault('a/b', { enabled: true })).rejects.toThrow('404');
  await near.delete();
});

test('a fault delays, by a rule, for one request and for all', async () => {
  await add({ delay: { min: 30, max: 60 }, match: { operation: 'list' } });
  await list();
  await started.mock.clearFaults();
  await list({ prefer: 'delay=40' });
  const [ruled, preferred] = await started.mock.requests();
  expect(ruled?.ms).toBeGreaterThanOrEqual(29);
  expect([preferred?.fault, Number(preferred?.ms) >= 39]).toEqual(['prefer', true]);
  await using slow = await serveMock({ ...FEW_MODELS, latency: { min: 20, max: 30 } });
  await slow.ask('GET', `${API}/warehouse`);
  expect((await slow.mock.requests())[0]?.ms).toBeGreaterThanOrEqual(19);
});

test('a fault slows down a response, whose body is complete', async () => {
  await create();
  const whole = (await list()).body;
  await add({ bytesPerSecond: 1000 });
  const before = performance.now();
  expect((await list()).body).toEqual(whole);
  expect(performance.now() - before).toBeGreaterThan(90);
});

test('a fault with a probability applies to the same requests for the same seed', () => {
  const met = (seed: number) => {
    const faults = createFaults([{ status: 500, probability: 0.3 }], seed);
    return Array.from({ length: 200 }, () => faults.meet({ method: 'GET', path: '/' }) !== undefined);
  };
  expect(met(7)).toEqual(met(7));
  expect(met(7)).not.toEqual(met(8));
  const share = met(7).filter(Boolean).length;
  expect(share).toBeGreaterThan(40);
  expect(share).toBeLessThan(80);
});

const { write } = useDirectory();

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
  ['a body with deep nesting', { body: { a: nested(200) } }, /100 levels/],
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
  test('is rejected over HTTP, in the process, in the options, and in a file', async () => {
    const refused = await started.ask('POST', '/__mock/faults', rule);
    expect(refused).toMatchObject(problem(422, message));
    await expect(started.mock.fault(rule)).rejects.toThrow(message);
    await expect(createMock({ ...FEW_MODELS, faults: [rule] })).rejects.toThrow(message);
    const file = write('faults.yaml', `- stat: 500\n- ${JSON.stringify(rule)}\n`);
    expect(() => readFaultFile(file, few)).toThrow(message);
    expect(() => readFaultFile(file, few)).toThrow(/faults\.yaml:2: /);
    expect((await started.ask('GET', '/__mock/faults')).body.faults).toEqual([]);
    expect((await list()).status).toBe(200);
  });
});

test('values with deep nesting are rejected in fixtures, in a state, and in a record', async () => {
  const name = nested(200_000);
  const state = { warehouse: [{ id: 1, name }] };
  const message = /has more than 100 levels of nesting\. Use fewer\./;
  const endless: Record<string, unknown> = {};
  endless.name = endless;
  await create();
  await expect(createMock({ ...FEW_MODELS, fixtures: state })).rejects.toThrow(message);
  await expect(started.mock.setState(state)).rejects.toThrow(message);
  await expect(started.mock.setState({ warehouse: [endless] })).rejects.toThrow(message);
  for (const values of [{ name }, endless]) {
    await expect(started.mock.records('warehouse').create(values)).rejects.toThrow(message);
    await expect(started.mock.records('warehouse').update(1, values)).rejects.toThrow(message);
  }
  expect((await list()).body).toHaveLength(1);
});

test.each(['unknown members', 'invalid headers'])(
  'a fault with many %s is rejected, and the message names the first ones',
  async (what) => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`a b${index}`, 'c']));
    const fault = what === 'invalid headers' ? { status: 503, headers: many } : { status: 503, ...many };
    const { body, status } = await started.ask('POST', '/__mock/faults', fault);
    expect(status).toBe(422);
    expect(body.detail).toContain('a b0');
    expect(body.detail?.length).toBeLessThan(10_000);
  },
);

test('a fault with a circular body is rejected in the process', async () => {
  const body: Record<string, unknown> = {};
  body.self = body;
  await expect(started.mock.fault({ body })).rejects.toThrow('JSON');
});

test.each([204, 205, 304])(
  'a fault with the status %i has no body, over HTTP and in the process',
  async (status) => {
    await started.mock.fault({ status, body: 'none', times: 2 });
    expect((await list()).status).toBe(status);
    const request = new Request(`http://mock.invalid${API}/warehouse`);
    expect((await started.mock.fetch(request)).status).toBe(status);
    expect((await list()).status).toBe(200);
  },
);
