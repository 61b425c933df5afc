import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedMock, serveMock } from '../../testing/mocks/control.ts';
import { catalogue } from '../../testing/mocks/mocks.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { readFaultFile } from '../control/faults/fault-rule.ts';
import { createMock } from '../mock.ts';
import { connectMock } from './remote.ts';

const directory = useDirectory();
let started: StartedMock;
beforeAll(async () => {
  started = await serveMock({ fixtures: new Map() });
});
afterAll(() => started.mock.close());

/** Conditions that no request can meet, and the message. Both a filter and a fault can have them. */
const UNKNOWN: [Record<string, string | number>, string][] = [
  [{ operation: 'createBrnd' }, 'Unknown operation "createBrnd". Did you mean "createBrand"?'],
  [{ operation: 'craete' }, 'Unknown operation "craete". Did you mean "create"?'],
  [
    { model: 'brand', operation: 'createCustomer' },
    'Unknown operation "createCustomer" of brand. Use one of 10 names, such as ',
  ],
  [{ model: 'brnd' }, 'Unknown model "brnd". Did you mean "brand"?'],
  [{ method: 'POS' }, 'Unknown method "POS". Did you mean "POST"?'],
  [{ path: '/api/model/brnd' }, 'Unknown path "/api/model/brnd". Did you mean "/api/model/brand"?'],
  [{ path: '/api/model/brand/' }, 'Unknown path "/api/model/brand/". Did you mean "/api/model/brand"?'],
  [{ path: '/nowhere' }, 'Unknown path "/nowhere". Use one of '],
];

const sent = (filter: object) => new URLSearchParams(Object.entries(filter));

describe('a filter of the request log', () => {
  test.each([
    ...UNKNOWN,
    [{ opration: 'createBrand' }, ' "opration". Did you mean "operation"?'],
    [{ path: '*/brand' }, 'Unknown path "*/brand". Did you mean "/brand"?'],
    [{ fault: 'prefr' }, 'Unknown fault "prefr". Did you mean "prefer"?'],
    [{ status: 'abc' }, 'status must be an integer, but is "abc".'],
  ] as [object, string][])('%j that no request can match is refused everywhere', async (filter, message) => {
    const { ask, mock, url } = started;
    const far = connectMock(url).session('far');
    const detail = expect.stringContaining(message.replace('Did you mean "/brand"?', ''));
    for (const path of ['requests', 'requests/count'])
      expect(await ask('GET', `/__mock/${path}?${sent(filter)}`)).toMatchObject({
        status: 422,
        body: { detail },
      });
    for (const session of [mock, mock.session('own')])
      for (const asked of [session.count(filter), session.requests(filter), session.waitFor(filter)])
        await expect(asked).rejects.toMatchObject({ name: 'UsageError', message: detail });
    for (const asked of [far.count(filter), far.requests(filter), far.waitFor(filter)])
      await expect(asked).rejects.toThrow(/failed with status 422: (Unknown|status must)/);
  });
});

describe('a fault', () => {
  const refused = [
    ...UNKNOWN,
    [{ path: '*/brnd/*' }, 'Unknown path "*/brnd/*". Did you mean "*/brand/*"?'],
    [{ modl: 'brand' }, 'Did you mean model?'],
    [{ session: 'a' }, '/match/session is not a known member'],
  ] as [object, string][];

  test.each(refused)('with the match %j is refused everywhere', async (match, message) => {
    const rule = { match, status: 500 };
    const { ask, mock, url } = started;
    const detail = expect.stringContaining(message);
    expect(await ask('POST', '/__mock/faults', rule)).toMatchObject({ status: 422, body: { detail } });
    await expect(mock.fault(rule)).rejects.toMatchObject({ name: 'UsageError', message: detail });
    await expect(connectMock(url).session('far').fault(rule)).rejects.toThrow('failed with status 422');
    await expect(createMock({ faults: [rule] })).rejects.toMatchObject({ name: 'UsageError' });
    expect(await mock.faults()).toEqual([]);
  });

  test('of a file names the line', async () => {
    directory.write('faults.yaml', '- status: 500\n- status: 500\n  match: { operation: createBrnd }\n');
    expect(() => readFaultFile(directory.path('faults.yaml'), catalogue)).toThrow(
      /faults\.yaml:2: Unknown operation "createBrnd"\. Did you mean "createBrand"\?$/,
    );
  });
});

test('an unknown parameter of any endpoint is refused', async () => {
  const { ask } = started;
  expect(await ask('GET', '/__mock/state?model=brand')).toMatchObject({
    status: 422,
    body: { detail: 'Unknown parameter "model". Did you mean "models"?' },
  });
  expect((await ask('POST', '/__mock/reset?session=a')).status).toBe(422);
});
