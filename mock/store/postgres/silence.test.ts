import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveMock } from '../../../testing/control.ts';
import { few, references } from '../../../testing/mocks.ts';
import { NO_POSTGRES, startPostgres, type TestPostgres } from '../../../testing/stores/postgres.ts';
import { createPostgresStore } from './postgres.ts';

const WAREHOUSES = '/api/model/warehouse';

describe.skipIf(NO_POSTGRES)('a database that takes connections and does not answer', () => {
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
  beforeAll(async () => {
    server = await startPostgres();
    between.listen(0, '127.0.0.1');
    await once(between, 'listening');
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    between.close();
    await server[Symbol.asyncDispose]();
  });

  async function database(): Promise<string> {
    const url = new URL(await server.database());
    url.port = String((between.address() as AddressInfo).port);
    url.search = 'connect_timeout=1&query_timeout=300';
    return url.href;
  }

  test('is refused at the start, with the way out', async () => {
    const url = await database();
    isSilent = true;
    await expect(createPostgresStore(url)).rejects.toThrow(
      /^postgres:\/\/postgres@127\.0\.0\.1:\d+\/test_\d+: it does not answer; expected a PostgreSQL server\./,
    );
    isSilent = false;
  });

  test('is answered for with 503 in the form of the profile, and used again once it answers', async () => {
    const { ask, mock } = await serveMock({
      catalogue: few,
      references,
      fixtures: new Map(),
      data: await database(),
    });
    await using _mock = mock;
    const made = await ask('POST', WAREHOUSES, { name: 'a' });
    isSilent = true;
    const answers = await Promise.all([
      ask('GET', `${WAREHOUSES}/${made.body.id}`),
      ask('GET', WAREHOUSES),
      ask('POST', WAREHOUSES, { name: 'b' }),
      ask('POST', `${WAREHOUSES}/${made.body.id}`, { name: 'c' }),
    ]);
    for (const { body, headers, status } of answers) {
      expect(status).toBe(503);
      expect(headers['retry-after']).toBe('1');
      expect(headers['content-type']).toBe('application/problem+json');
      expect(body.detail).toMatch(/does not answer \(/);
    }
    isSilent = false;
    expect(await ask('GET', `${WAREHOUSES}/${made.body.id}`)).toMatchObject({
      status: 200,
      body: { name: 'a' },
    });
  });
});
