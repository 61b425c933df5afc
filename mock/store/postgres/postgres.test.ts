import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UsageError } from '../../../spec/files/usage-error.ts';
import {
  NO_POSTGRES,
  newDatabase,
  query,
  type TestPostgres,
  workerPostgres,
} from '../../../testing/stores/postgres.ts';
import { describeStore } from '../../../testing/stores/store-behavior.ts';
import { idsOf, openSession } from '../../../testing/stores/store-steps.ts';
import { type Records, type SessionRecords, type Store, StoreAway } from '../store.ts';
import { createPostgresStore } from './postgres.ts';

describe.skipIf(NO_POSTGRES)('over PostgreSQL', () => {
  describeStore('in PostgreSQL', 'database', async () => {
    const url = await newDatabase();
    return { open: (layout) => createPostgresStore(url, layout), remove: async () => {} };
  });

  const add = (count: number, between: () => Promise<unknown>) => async (records: Records) => {
    for (let made = 0; made < count; made++) {
      const id = await records.nextId('a');
      await between();
      await records.put('a', { id, count });
    }
  };

  test('a clear waits for a transaction that received an ID, and IDs then start again', async () => {
    const url = await newDatabase();
    await using session = await openSession(createPostgresStore(url));
    await using theirs = await openSession(createPostgresStore(url));
    await session.transaction((records) => records.put('a', { id: 1 }));
    let cleared: Promise<void> | undefined;
    await session.transaction(
      add(1, async () => {
        cleared = theirs.transaction((records) => records.clear('a'));
      }),
    );
    await cleared;
    for (let more = 0; more < 3; more++) await session.transaction(add(1, async () => {}));
    expect(await idsOf(theirs, 'a')).toEqual([1, 2, 3]);
  });

  test('a write to a session that another replica deleted is rejected', async () => {
    const url = await newDatabase();
    await using session = await openSession(createPostgresStore(url));
    await using theirs = await openSession(createPostgresStore(url));
    await session.transaction(add(1, async () => {}));
    await theirs.store.drop('a');
    const late = session.transaction(add(1, async () => {}));
    await expect(late).rejects.toThrow(StoreAway);
    await expect(late).rejects.toThrow('The session ended during the request. Send the request again.');
  });

  test('a write that the database rejects does not affect concurrent writes', async () => {
    await using session = await openSession(createPostgresStore(await newDatabase()));
    const written = [1, 1.5, 2].map((id) => session.transaction((records) => records.put('a', { id })));
    const results = await Promise.allSettled(written);
    const isRejected = {
      status: 'rejected',
      reason: { message: expect.stringContaining('type bigint: "1.5"') },
    };
    expect(results).toMatchObject([{ status: 'fulfilled' }, isRejected, { status: 'fulfilled' }]);
    expect(await idsOf(session, 'a')).toEqual([1, 2]);
  });

  test('a transaction can have more records than one statement, and reads its own writes', async () => {
    await using session = await openSession(createPostgresStore(await newDatabase()));
    const name = 'x'.repeat(1_000_000);
    await session.transaction(async (records) => {
      for (let id = 1; id <= 10; id++) await records.put('large', { id, name });
      for (let id = 1; id <= 2500; id++) await records.put('small', { id });
      await records.remove('small', 7);
      expect(await records.get('small', 8)).toEqual({ id: 8 });
      expect(await records.get('small', 7)).toBeUndefined();
      expect((await records.find('small', { liveOnly: false, size: 1 })).total).toBe(2499);
      await records.remove('small', 8);
    });
    expect((await session.find('small', { liveOnly: false, size: 1 })).total).toBe(2498);
    expect((await session.find('large', { liveOnly: false, size: 1 })).total).toBe(10);
    expect(await session.get('large', 10)).toEqual({ id: 10, name });
    const failing = session.transaction(async (records) => {
      for (let id = 1; id <= 1500; id++) await records.remove('small', id);
      await records.find('small', { liveOnly: false });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect((await session.find('small', { liveOnly: false, size: 1 })).total).toBe(2498);
  });

  test('concurrent transactions get different IDs', async () => {
    await using session = await openSession(createPostgresStore(await newDatabase()));
    await Promise.all([
      session.transaction(async (records) => {
        await records.get('b', 1);
        await records.put('a', { id: 1, count: 0 });
      }),
      session.transaction(add(1, async () => {})),
    ]);
    expect(await session.get('a', 1)).toEqual({ id: 1, count: 0 });
    expect(await idsOf(session, 'a')).toHaveLength(2);
  });

  describe('with two replicas', () => {
    const count =
      (more = 1) =>
      (records: Records) =>
        records
          .get('a', 1)
          .then((record) => records.put('a', { id: 1, count: Number(record?.count) + more }));
    let replicas: Store[] = [];
    let url = '';
    const open = () => Promise.all(replicas.map((store) => store.open('shared', '@none')));
    beforeAll(async () => {
      url = await newDatabase();
      replicas = await Promise.all([createPostgresStore(url), createPostgresStore(url)]);
    });
    afterAll(async () => {
      for (const store of replicas) await store.close();
    });

    test("two replicas keep each other's changes, alternating and concurrent", async () => {
      const sessions = await open();
      await sessions[0]?.transaction((records) => records.put('a', { id: 1, count: 0 }));
      for (let round = 0; round < 3; round++) for (const one of sessions) await one.transaction(count());
      await Promise.all(
        Array.from({ length: 20 }, () => sessions.map((one) => one.transaction(count()))).flat(),
      );
      for (const one of sessions) expect(await one.get('a', 1)).toEqual({ id: 1, count: 46 });
    });

    test('a transaction that stores nothing reads the current records', async () => {
      const [one, other] = (await open()) as [SessionRecords, SessionRecords];
      await one.transaction((records) => records.put('a', { id: 1, count: 0 }));
      await one.transaction(count(5));
      await other.transaction(count(5));
      expect(await one.transaction((records) => records.get('a', 1))).toEqual({ id: 1, count: 10 });
      await other.transaction(count(5));
      const refusing = one.transaction(async (records) => {
        throw new Error(`the count is ${(await records.get('a', 1))?.count}`);
      });
      await expect(refusing).rejects.toThrow('the count is 15');
      await other.transaction((records) => records.remove('a', 1));
      expect(await one.transaction((records) => records.get('a', 1))).toBeUndefined();
    });

    test('a transaction can copy values from one record to another', async () => {
      const [one, other] = (await open()) as [SessionRecords, SessionRecords];
      await one.transaction((records) => records.put('a', { id: 1, count: 0 }));
      await one.transaction(count(5));
      await other.transaction(count(5));
      await one.transaction(async (records) => {
        const { count: copied = null } = (await records.get('a', 1)) ?? {};
        await records.put('b', { id: await records.nextId('b'), copied });
        await records.put('a', { id: 1, count: copied, isCopied: true });
      });
      expect(await other.get('b', 1)).toMatchObject({ copied: 10 });
      expect(await other.get('a', 1)).toEqual({ id: 1, count: 10, isCopied: true });
    });

    test('a long transaction finishes while other clients write', async () => {
      const [one] = (await open()) as [SessionRecords];
      const ids = [1, 2, 3, 4, 5, 6, 7, 8];
      const putAll = async (records: Records, isWhole: boolean) => {
        for (const id of ids) await records.put('a', { id, count: 0, isWhole });
      };
      await one.transaction((records) => putAll(records, false));
      let isDone = false;
      let [runs, writes] = [0, 0];
      const writers = ids.map(async (id) => {
        for (; !isDone; writes++)
          await one.transaction(async (records) => {
            const record = await records.get('a', id);
            await records.put('a', { ...record, id, count: Number(record?.count) + 1 });
          });
      });
      while (writes < 40) await one.get('a', 1);
      const work = one.transaction(async (records) => {
        runs++;
        for (let looks = 0; looks < 20; looks++) await records.find('a', { liveOnly: false });
        await putAll(records, true);
      });
      await work.finally(() => {
        isDone = true;
      });
      await Promise.all(writers);
      expect(runs).toBeLessThan(15);
      for (const id of ids) expect(await one.get('a', id)).toMatchObject({ isWhole: true });
    });

    /** A session that no try before has left behind. */
    const newName = () => `session-${++names}`;
    let names = 0;

    /** Runs work that has written to a record, and goes on when the other has to wait for it, or is done. */
    async function beside(one: SessionRecords, count: number, other: () => Promise<void>) {
      let waits: Promise<void> | undefined;
      const work = one.transaction(async (records) => {
        await records.put('a', { id: 1, count });
        await records.find('a', { liveOnly: false });
        waits ??= other();
        await Promise.race([waits, untilLocked()]);
        await records.put('a', { id: await records.nextId('a'), count });
      });
      await work;
      await waits;
    }

    async function untilLocked(): Promise<void> {
      const text = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      while ((await query(url, text)).length === 0);
    }

    test('a snapshot of a session is not affected by concurrent writes', async () => {
      const [store, another] = replicas as [Store, Store];
      const name = newName();
      const one = await store.open(name, '@none');
      await one.transaction((records) => records.put('a', { id: 1, count: 1 }));
      await store.save(name, `before ${name}`);
      await store.forget(`before ${name}`);
      await beside(one, 2, () => another.save(name, `then ${name}`));
      await one.transaction((records) => records.put('a', { id: 1, count: 3 }));
      const then = await another.open(`from ${name}`, `then ${name}`);
      expect((await then.find('a', { liveOnly: false })).records).toEqual([
        { id: 1, count: 2 },
        { id: 2, count: 2 },
      ]);
    });

    test('a session can be restored while another replica writes to it', { timeout: 8000 }, async () => {
      const [store, another] = replicas as [Store, Store];
      const name = newName();
      const one = await store.open(name, '@none');
      await one.transaction((records) => records.put('a', { id: 1, count: 1 }));
      await store.save(name, `first of ${name}`);
      await beside(one, 2, () => another.restore(name, `first of ${name}`));
      expect(await one.find('a', { liveOnly: false })).toMatchObject({ records: [{ count: 1 }], total: 1 });
      expect(await one.transaction((records) => records.nextId('a'))).toBe(2);
    });
  });
});

describe.skipIf(NO_POSTGRES)("a database that can't be used", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await workerPostgres();
    await query(server.admin, `create role guest login password 's3cret'`);
  });

  /** Returns the message of the refusal. */
  async function refusalOf(address: string): Promise<string> {
    try {
      await (await createPostgresStore(address)).close();
    } catch (error) {
      if (error instanceof UsageError) return error.message;
      throw error;
    }
    return 'not refused';
  }

  const as = (address: string, parts: Partial<URL>) => Object.assign(new URL(address), parts).href;

  test('is rejected with a hint, without its password', async () => {
    const url = await server.database();
    expect(await refusalOf(as(url, { port: '1', password: 's3cret' }))).toMatch(
      /^Can't use postgres:\/\/postgres@127\.0\.0\.1:1\/test_\d+ because no server listens there\. Start PostgreSQL, or correct the host and port\./,
    );
    expect(await refusalOf(as(url, { pathname: '/absent' }))).toMatch(
      /because the database does not exist\. Create it with createdb\. .*database "absent"/,
    );
    expect(await refusalOf(as(url, { username: 'guest' }))).toMatch(
      /Can't use postgres:\/\/guest@127\.0\.0\.1:\d+\/test_\d+ because the user can't create a schema\. Run GRANT CREATE ON DATABASE, or use the owner of the database\. The driver reports: permission denied for database test_\d+\./,
    );
    expect(await refusalOf('postgres://a b:c@@/')).toMatch(
      /^The address of the database is malformed\. Use postgres:\/\/USER:PASSWORD@HOST:PORT\/DATABASE, and percent-encode special characters\.$/,
    );
    expect(await refusalOf(`${url}?connections=0`)).toMatch(
      /^connections must be a whole number from 1 to \d+ in postgres:\S+, but is "0"\.$/,
    );
  });

  test('is rejected if no connection, or only one, can be opened', async () => {
    const url = await server.database();
    expect(await refusalOf(`${url}?sslmode=verify-full&sslrootcert=/absent.pem`)).toMatch(
      /^Can't use postgres:\/\/postgres@127\.0\.0\.1:\d+\/test_\d+ because the connection failed\. Check the address and the server\. The driver reports: ENOENT: no such file or directory, open '\/absent\.pem'\./,
    );
    await query(server.admin, 'create role one login connection limit 1');
    await query(server.admin, `grant all on database ${new URL(url).pathname.slice(1)} to one`);
    expect(await refusalOf(as(url, { username: 'one' }))).toMatch(
      /^Can't use postgres:\/\/one@127\.0\.0\.1:\d+\/test_\d+ because the connection failed\. Check the address and the server\. The driver reports: too many connections for role "one"\./,
    );
    // The server's process outlives its connection for a moment.
    const left = () => query(server.admin, `select from pg_stat_activity where usename = 'one'`);
    await expect.poll(left, { timeout: 10_000 }).toEqual([]);
  });

  test('is not changed if it is opened only for reading and has no schema', async () => {
    const url = await server.database();
    await expect(createPostgresStore(url, undefined, true)).rejects.toThrow(
      /^postgres:\/\/postgres@127\.0\.0\.1:\d+\/test_\d+ contains no data of the mock: it has no schema record_model_mock\. Create it with: record-model mock --data ADDRESS$/,
    );
    expect(await query(url, `select to_regnamespace('record_model_mock') as schema`)).toEqual([
      { schema: null },
    ]);
  });

  test('is rejected if its encoding lacks characters', async () => {
    await query(server.admin, `create database latin encoding 'LATIN1' locale 'C' template template0`);
    expect(await refusalOf(as(server.admin, { pathname: '/latin' }))).toMatch(
      /^postgres:\/\/postgres@127\.0\.0\.1:\d+\/latin has the encoding LATIN1, which does not have all characters\. Create a database with: createdb --encoding UTF8 --template template0 NAME$/,
    );
  });

  test('is rejected if the password is wrong', async () => {
    await server.useRule('host all guest 127.0.0.1/32 scram-sha-256');
    const user = { username: 'guest', password: 'wrong' };
    expect(await refusalOf(as(await server.database(), user))).toMatch(
      /Can't use postgres:\/\/guest@127\.0\.0\.1:\d+\/test_\d+ because the server rejects the user or password\. Use postgres:\/\/USER:PASSWORD@HOST\/DATABASE\. The driver reports: password authentication failed for user "guest"\./,
    );
  });

  test('is not changed if its schema belongs to another application or release', async () => {
    const foreign = await server.database();
    await query(foreign, 'create schema record_model_mock create table mine (id int)');
    expect(await refusalOf(foreign)).toMatch(
      /The schema record_model_mock in postgres:\/\/postgres@127\.0\.0\.1:\d+\/test_\d+ belongs to another application\. Rename it, or use another database\./,
    );
    const other = await server.database();
    await (await createPostgresStore(other)).close();
    await query(other, 'update record_model_mock.version set version = 4');
    expect(await refusalOf(other)).toMatch(
      /The schema record_model_mock in postgres:\/\/postgres@127\.0\.0\.1:\d+\/test_\d+ has version 4, but this release supports only 7\. Dump it with the release that wrote it \(record-model dump\), and load the dump into another database \(record-model load\), or run DROP SCHEMA record_model_mock CASCADE\.$/,
    );
  });
});
