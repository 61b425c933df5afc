/** Every endpoint of the control plane and every fault, over sockets, under profiles that differ most. */
import { describe, expect, test } from 'vitest';
import { serveMock } from '../../testing/mocks/control.ts';

type Step = readonly [method: string, path: string, status: number, body?: unknown];

/** In this order: what one step makes the next ones use. */
const STEPS: readonly Step[] = [
  ['GET', '/openapi.json', 200],
  ['GET', '/health', 200],
  ['GET', '/live', 200],
  ['GET', '/ready', 200],
  ['GET', '/profile', 200],
  ['PUT', '/profile', 200, { 'status.updated': 202 }],
  ['GET', '/contract', 200],
  ['GET', '/state?models=brand', 200],
  ['PUT', '/state', 204, { brand: [{ id: 1, name: 'a' }] }],
  ['PATCH', '/state', 204, { brand: [{ id: 1, name: 'b' }] }],
  ['POST', '/records/brand', 201, { name: 'c' }],
  ['GET', '/records/brand?sort=-name&limit=1', 200],
  ['GET', '/records/brand/2', 200],
  ['PATCH', '/records/brand/2', 200, { name: 'd' }],
  ['GET', '/records/brand/2/links', 200],
  ['DELETE', '/records/brand/2', 204],
  ['POST', '/generate', 201, { model: 'brand', count: 2 }],
  ['GET', '/samples/brand', 200],
  ['GET', '/counts', 200],
  ['GET', '/undo', 200],
  ['POST', '/undo', 200],
  ['GET', '/changes', 200],
  ['POST', '/snapshots', 201, { name: 'kept' }],
  ['GET', '/snapshots', 200],
  ['POST', '/reset', 204],
  ['POST', '/snapshots/kept/restore', 204],
  ['POST', '/sessions', 201, { name: 'other', from: 'kept' }],
  ['GET', '/sessions', 200],
  ['DELETE', '/sessions/other', 204],
  ['DELETE', '/snapshots/kept', 204],
  ['GET', '/requests', 200],
  ['GET', '/requests/count?wait=0', 200],
  ['GET', '/requests/har?sessions=all', 200],
  ['DELETE', '/requests', 204],
  ['POST', '/faults', 201, { status: 503, match: { model: 'customer' } }],
  ['GET', '/faults', 200],
  ['PATCH', '/faults/1', 204, { enabled: false }],
  ['DELETE', '/faults/1', 204],
  ['DELETE', '/faults', 204],
  ['PUT', '/clock', 200, { now: '2025-10-22T09:30:00Z', frozen: true }],
  ['POST', '/clock/advance', 200, { ms: 1000 }],
  ['GET', '/clock', 200],
  ['PATCH', '/forward', 200, { models: ['customer'] }],
  ['GET', '/forward', 200],
  ['PATCH', '/forward', 200, { enabled: false }],
];

/** So that there is something to show. No request is forwarded. */
const forward = { url: 'http://127.0.0.1:1', models: [] };

/** Each with what a client gets: a status, or nothing at all. */
const FAULTS: readonly (readonly [fault: object, prefer: string | undefined, gets: number | 'nothing'])[] = [
  [{ status: 503 }, 'code=503', 503],
  [{ status: 429 }, 'code=429', 429],
  [{ status: 418, body: { own: true }, headers: { 'x-own': '1' } }, undefined, 418],
  [{ delay: 1 }, 'delay=1', 200],
  [{ delay: { min: 1, max: 2 } }, undefined, 200],
  [{ bytesPerSecond: 1_000_000 }, undefined, 200],
  [{ drop: 'before' }, 'drop', 'nothing'],
  [{ drop: 'after' }, 'drop=after', 'nothing'],
  [{ drop: 'mid-body' }, 'drop=mid-body', 'nothing'],
];

describe.each<Record<string, unknown>>([
  {},
  { auth: 'bearer', 'errors.form': 'empty', 'request.encoding': 'form', 'list.paging': 'none' },
  {
    'errors.form': 'simple',
    'response.record': '/data',
    'response.records': '/data',
    'delete.effect': 'remove',
  },
  { version: 'header Api-Version', 'types.datetime': 'space', 'types.lines': 'ids', 'status.invalid': 400 },
])('under %j', (profile) => {
  const headers = { authorization: 'Bearer a', 'api-version': '2025-10-22' };

  test('every endpoint of the control plane is there, for a session too', async () => {
    await using started = await serveMock({ profile, forward });
    const { body: document } = await started.ask('GET', '/__mock/openapi.json');
    for (const prefix of ['', '/__mock/sessions/a'])
      for (const [method, path, status, body] of STEPS) {
        const answer = await started.ask(method, `${prefix}/__mock${path}`, body);
        expect([method, path, answer.status]).toEqual([method, path, status]);
      }
    const described = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace('/__mock', '')}`),
    );
    const asked = new Set(
      STEPS.map(
        ([method, path]) =>
          `${method} ${path
            .replace(/\?.*/, '')
            .replace(/\/(kept|other)/, '/{name}')
            .replace('/faults/1', '/faults/{id}')
            .replace(/\/(records|samples)\/brand/, '/$1/{model}')
            .replace('{model}/2', '{model}/{id}')}`,
      ),
    );
    // The stream of events has no end; it has the next test.
    expect(described.filter((one) => !asked.has(one))).toEqual(['GET /events']);
  });

  test('exchanges come as events', async () => {
    await using started = await serveMock({ profile });
    const { body } = await fetch(`${started.url}/__mock/sessions/a/__mock/events`);
    const path = '/__mock/sessions/a/api/model/brand';
    expect((await started.ask('GET', path, undefined, headers)).status).toBe(200);
    let text = '';
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString();
      if (/data: .*\n\n/.test(text)) break;
    }
    expect(text).toMatch(/^event: exchange\n/m);
    expect(text).toContain('"operation":"listBrand"');
  });

  test('every fault does what it says, by rule and for one request, and stands in the journal', async () => {
    await using started = await serveMock({ profile });
    const get = async (more: Record<string, string> = {}) => {
      try {
        return await started.ask('GET', '/api/model/brand', undefined, { ...headers, ...more });
      } catch {
        return undefined;
      }
    };
    for (const [fault, prefer, gets] of FAULTS) {
      await started.mock.fault({ ...fault, times: 1 });
      const [met, after] = [await get(), await get()];
      expect([fault, met?.status ?? 'nothing', after?.status]).toEqual([fault, gets, 200]);
      if (gets === 429) expect(met?.headers['retry-after']).toBe('1');
      if (gets === 418) expect([met?.headers['x-own'], met?.body]).toEqual(['1', { own: true }]);
      if (prefer !== undefined) expect((await get({ prefer }))?.status ?? 'nothing').toBe(gets);
    }
    const journal = await started.mock.requests();
    const met = journal.filter(({ fault }) => fault !== undefined && fault !== 'prefer');
    expect(met).toHaveLength(FAULTS.length);
  });
});
