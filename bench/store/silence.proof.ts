import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createPostgresStore } from '../../mock/store/postgres/postgres.ts';
import { serveMock } from '../../testing/mocks/control.ts';
import { FEW_MODELS } from '../../testing/mocks/mocks.ts';
import { NO_POSTGRES, query, startPostgres, type TestPostgres } from '../../testing/stores/postgres.ts';

/** Reading the record with the ID 1 is as slow as reading a million. */
const SLOW = `
  create function slow() returns trigger language plpgsql as $$ begin
    perform pg_sleep(3.2);
    return coalesce(new, old);
  end $$;
  create trigger copies before insert on record_model_mock.record for each row when (new.id = 1) execute function slow();
  create trigger removes before delete on record_model_mock.record for each row when (old.id = 1) execute function slow();`;
const WAREHOUSES = '/api/model/warehouse';

let server: TestPostgres;
let isSilent = false;
const sockets = new Set<Socket>();
// Between the mock and the database: when it is silent it reads what is sent, and passes nothing on.
const between = createServer((socket) => {
  const target = connect(Number(new URL(server.admin).port), '127.0.0.1');
  for (const [from, to] of [
    [socket, target],
    [target, socket],
  ] as const) {
    sockets.add(from);
    from.on('data', (chunk) => isSilent || to.write(chunk));
    from.on('close', () => to.destroy());
    from.on('error', () => to.destroy());
  }
});

describe.skipIf(NO_POSTGRES)('a database that accepts connections but does not respond', () => {
  beforeAll(async () => {
    server = await startPostgres();
    between.listen(0, '127.0.0.1');
    await once(between, 'listening');
  });
  afterEach(() => {
    isSilent = false;
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    between.close();
    await server[Symbol.asyncDispose]();
  });

  async function database(bounds = 'connect_timeout=1&query_timeout=300'): Promise<string> {
    const url = new URL(await server.database());
    url.port = String((between.address() as AddressInfo).port);
    url.search = bounds;
    return url.href;
  }

  test('is rejected at the start with a hint', async () => {
    const url = await database();
    isSilent = true;
    await expect(createPostgresStore(url)).rejects.toThrow(
      /^Can't use postgres:\/\/postgres@127\.0\.0\.1:\d+\/test_1 because the connection failed\. Check the address and the server\./,
    );
    isSilent = false;
  });

  test('is waited for if a statement processes all records of a model', async () => {
    const url = new URL(await database());
    url.searchParams.set('query_timeout', '3000');
    const store = await createPostgresStore(url.href);
    await store.begin('seed', ({ put }) => put('warehouse', { id: 1 }));
    const [copied, cleared, restored] = await Promise.all(
      ['a', 'b', 'c'].map((one) => store.open(one, 'seed')),
    );
    for (const own of [cleared, restored]) await own?.transaction(({ put }) => put('warehouse', { id: 2 }));
    await copied?.transaction(({ put }) => put('warehouse', { id: 1 }));
    await store.save('a', 'saved');
    await query(url.href, SLOW);
    await Promise.all([
      copied?.transaction(({ put }) => put('warehouse', { id: 3 })),
      cleared?.transaction(({ clear }) => clear('warehouse')),
      store.restore('c', 'seed'),
    ]);
    const idsOf = async (name: string) =>
      (await (await store.open(name, 'seed')).find('warehouse', { liveOnly: true })).records.map(
        ({ id }) => id,
      );
    expect(await Promise.all(['a', 'b', 'c'].map(idsOf))).toEqual([[1, 3], [], [1]]);
    await store.close();
  });

  test('leads to a 503 within the timeout, and is used again when it responds', async () => {
    const { ask, mock } = await serveMock({
      ...FEW_MODELS,
      data: await database('connect_timeout=1&query_timeout=2000'),
    });
    await using _mock = mock;
    const made = await ask('POST', WAREHOUSES, { name: 'a' });
    const record = `${WAREHOUSES}/${made.body.id}`;
    const all = () =>
      Promise.all([
        ask('GET', record),
        ask('GET', WAREHOUSES),
        ask('POST', WAREHOUSES, { name: 'b' }),
        ask('POST', record, { name: 'c' }),
        ask('GET', WAREHOUSES, undefined, { 'x-mock-session': 'new' }),
        ask('GET', '/__mock/state'),
        ask('POST', '/__mock/snapshots', { name: 'one' }),
        ask('POST', '/__mock/reset'),
        ask('GET', '/__mock/ready'),
        ...Array.from({ length: 30 }, () => ask('GET', record)),
      ]);
    isSilent = true;
    const begin = performance.now();
    const answers = await all();
    const end = performance.now();
    for (const { body, headers, status } of answers) {
      expect([status, body.detail]).toEqual([
        503,
        expect.stringMatching(
          /^(postgres:\/\/postgres@127\.0\.0\.1:\d+\/test_\d|The database) does not respond\. Send the request again\./,
        ),
      ]);
      expect(headers['retry-after']).toBe('1');
      expect(headers['content-type']).toBe('application/problem+json');
    }
    // The rest is for a machine that is busy.
    expect(end - begin).toBeLessThan(2000 + 10_000);
    expect((await ask('GET', '/__mock/live')).status).toBe(200);
    isSilent = false;
    await vi.waitUntil(async () => (await ask('GET', '/__mock/ready')).status === 200, { timeout: 4000 });
    expect(await ask('GET', record)).toMatchObject({ status: 200, body: { name: 'a' } });
    expect((await ask('POST', WAREHOUSES, { name: 'd' })).status).toBe(201);
  });

  test('does not prevent the mock from stopping', async () => {
    const store = await createPostgresStore(await database('connect_timeout=2'));
    isSilent = true;
    const begin = performance.now();
    const reading = store.sessions().catch((error: Error) => error.message);
    await store.close();
    expect(await reading).toContain('does not respond');
    expect(performance.now() - begin).toBeLessThan(2000 + 4000);
  });
});
