import assert from 'node:assert/strict';
import type { RemoteSession } from '../../mock/adapters/remote.ts';

export type Received = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

export type Sent = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: unknown;
};

/** A session of a mock that an app and its test use through an adapter. */
export type Adapted = {
  readonly mock: Omit<RemoteSession, 'name' | 'url'>;
  /** Sends a request of the session as the app does. Rejects if no complete response arrives. */
  ask(path: string, sent?: Sent): Promise<Received>;
  /** The request log, one line or exchange each; undefined if it is in another process. */
  readonly logged?: () => string;
  /** The origin that image URLs must have; undefined if the adapter has no fixed one. */
  readonly origin?: string;
};

const LIST = '/api/model/brand';
const PAGE = 'http://localhost:3000';

/**
 * The behavior of all adapters, by title. A row uses `node:assert`, because Playwright also runs it. The mock has the
 * records of `ADAPTED`.
 */
export const ADAPTER_BEHAVIOR: Readonly<Record<string, (adapted: Adapted) => Promise<void>>> = {
  'creates, reads, lists, updates, and deletes records, and rejects other methods': async ({ ask, mock }) => {
    const created = await ask(LIST, { method: 'POST', body: { name: 'Cierzo' } });
    assert.equal(created.status, 201);
    const one = `${LIST}/${JSON.parse(created.text).id}`;
    assert.equal(JSON.parse((await ask(one)).text).name, 'Cierzo');
    assert.equal((await ask(one, { method: 'POST', body: { name: 'Bosque' } })).status, 200);
    assert.deepEqual(namesOf((await ask(LIST)).text), ['Altura', 'Bosque']);
    const head = await ask(LIST, { method: 'HEAD' });
    assert.deepEqual([head.status, head.text, Number(head.headers['content-length']) > 2], [200, '', true]);
    assert.match((await ask(one, { method: 'DELETE' })).text, /"deleted":true/);
    for (const method of ['PUT', 'PATCH', 'OPTIONS']) {
      const refused = await ask(one, { method, ...(method === 'OPTIONS' ? {} : { body: {} }) });
      assert.deepEqual(
        [method, refused.status, refused.headers.allow],
        [method, 405, 'GET, HEAD, POST, DELETE'],
      );
    }
    assert.equal((await ask('/api/model/brands')).status, 404);
    assert.equal(await mock.count({ operation: 'createBrand' }), 1);
  },

  'reports each violation of a record': async ({ ask }) => {
    const refused = await ask(LIST, { method: 'POST', body: { nam: 'x' } });
    assert.equal(refused.status, 422);
    const { violations } = JSON.parse(refused.text);
    assert.deepEqual(violations.map(({ pointer }: { pointer: string }) => pointer).sort(), ['/nam', '/name']);
  },

  'applies faults that change or delay a response': async ({ ask, mock }) => {
    await mock.fault({ status: 418, body: { own: true }, headers: { 'x-own': 'yes' }, times: 1 });
    const own = await ask(LIST);
    assert.deepEqual([own.status, JSON.parse(own.text), own.headers['x-own']], [418, { own: true }, 'yes']);
    assert.equal((await ask(LIST, { headers: { prefer: 'code=503' } })).status, 503);
    await mock.fault({ delay: 20, bytesPerSecond: 1_000_000, times: 1 });
    const slow = await ask(LIST);
    assert.deepEqual([slow.status, namesOf(slow.text)], [200, ['Altura']]);
  },

  'applies faults that drop the connection': async ({ ask, mock }) => {
    for (const [drop, names] of [
      ['before', ['Altura']],
      ['after', ['Altura', 'after']],
      ['mid-body', ['Altura', 'after', 'mid-body']],
    ] as const) {
      await mock.fault({ drop, match: { operation: 'createBrand' }, times: 1 });
      await assert.rejects(ask(LIST, { method: 'POST', body: { name: drop } }), `drop: ${drop}`);
      assert.deepEqual(namesOf((await ask(LIST)).text), names);
    }
  },

  'serves images of generated records from its origin': async ({ ask, mock, origin }) => {
    const { customer = [] } = await mock.state(['customer']);
    const url = customer.map(({ avatar }) => String(avatar)).find((one) => one.includes('/__mock/images/'));
    assert(url !== undefined);
    const image = new URL(url);
    if (origin !== undefined) assert.equal(image.origin, origin);
    const { headers, status, text } = await ask(image.pathname);
    assert.deepEqual([status, headers['content-type'], text.slice(0, 4)], [200, 'image/svg+xml', '<svg']);
  },

  'adds requests to the request log, and reports them': async ({ ask, logged, mock }) => {
    await ask(`${LIST}/1`);
    await ask(LIST, { method: 'POST', body: {} });
    const requests = await mock.requests({ model: 'brand' });
    assert.deepEqual(
      requests.map(({ operation, status }) => [operation, status]),
      [
        ['getBrand', 200],
        ['createBrand', 422],
      ],
    );
    await mock.waitFor({ operation: 'getBrand' });
    if (logged) assert.match(logged(), /\/api\/model\/brand\/1.*200.*\/api\/model\/brand.*422/s);
  },

  'keeps the changes of a session out of other sessions': async ({ ask, mock }) => {
    await ask(`${LIST}/1`, { method: 'POST', body: { name: 'mine' } });
    const other = '/__mock/sessions/other';
    assert.deepEqual(namesOf((await ask(other + LIST)).text), ['Altura']);
    assert.deepEqual(namesOf((await ask(LIST)).text), ['mine']);
    assert.equal((await ask(`${other}/__mock/requests/count`)).status, 200);
    await mock.reset();
    assert.deepEqual(namesOf((await ask(LIST)).text), ['Altura']);
  },

  'permits pages of this machine to read responses': async ({ ask }) => {
    const preflight = await ask(LIST, {
      method: 'OPTIONS',
      headers: {
        origin: PAGE,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-own',
      },
    });
    const open = [PAGE, 'true'];
    const shown = ({ headers }: Received) => [
      headers['access-control-allow-origin'],
      headers['access-control-allow-credentials'],
    ];
    assert.deepEqual([preflight.status, preflight.text, ...shown(preflight)], [204, '', ...open]);
    assert.equal(preflight.headers['access-control-allow-headers'], 'x-own');
    const listed = await ask(LIST, { headers: { origin: PAGE } });
    assert.deepEqual([listed.status, ...shown(listed)], [200, ...open]);
    assert.match(listed.headers['access-control-expose-headers'] ?? '', /X-Total-Count/i);
  },

  'serves the OpenAPI documents, the control API, and the console': async ({ ask }) => {
    for (const [path, type, part] of [
      ['/openapi.json', 'application/json', '"openapi":'],
      ['/openapi.yaml', 'application/yaml', 'openapi: '],
      ['/__mock/openapi.json', 'application/json', '"openapi":'],
      ['/__mock/health', 'application/json', '"ok"'],
      ['/__mock/', 'text/html; charset=utf-8', '<title>Mock console</title>'],
    ] as const) {
      const { headers, status, text } = await ask(path, { headers: { accept: 'text/html,*/*' } });
      assert.deepEqual([path, status, headers['content-type'], text.includes(part)], [path, 200, type, true]);
    }
  },

  'rejects paths with dot segments': async ({ ask }) => {
    // A URL parser removes the other forms before a request is sent.
    const refused = await ask('/api/model/..%2f..%2f__mock/reset', { method: 'POST' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /dot segment/);
  },
};

/** Options of the mock that an adapter serves. */
export const ADAPTED = { fixtures: { brand: [{ id: 1, name: 'Altura' }] }, records: { customer: 3 } };

/** Returns the options of `fetch` for a request. */
export function initOf({ body, headers, method = 'GET' }: Sent): {
  method: string;
  headers: Record<string, string>;
  body?: string;
} {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  return {
    method,
    headers: { ...json, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

export async function receive(response: Response): Promise<Received> {
  const text = await response.text();
  return { status: response.status, headers: Object.fromEntries(response.headers), text };
}

function namesOf(text: string): string[] {
  return (JSON.parse(text) as { name: string; deleted: boolean }[]).map(({ name }) => name);
}
