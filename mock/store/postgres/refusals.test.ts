import { beforeAll, describe, expect, test } from 'vitest';
import { UsageError } from '../../../spec/files/usage-error.ts';
import { NO_POSTGRES, query, type TestPostgres, workerPostgres } from '../../../testing/stores/postgres.ts';
import { createPostgresStore } from './postgres.ts';

describe.skipIf(NO_POSTGRES)('a database that can not be used', () => {
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

  const as = (address: string, change: (url: URL) => void) => {
    const url = new URL(address);
    change(url);
    return url.href;
  };

  test('is refused with the way out, and shows no password', async () => {
    const url = await server.database();
    const nowhere = as(url, (one) => {
      one.port = '1';
      one.password = 's3cret';
    });
    const refused = await refusalOf(nowhere);
    expect(refused).toMatch(
      /^Can't use postgres:\/\/postgres@127\.0\.0\.1:1\/test_\d+ because no server listens there\. Start PostgreSQL, or correct the host and port\./,
    );
    const absent = as(url, (one) => {
      one.pathname = '/absent';
    });
    expect(await refusalOf(absent)).toMatch(
      /because the database does not exist\. Create it with createdb\. .*database "absent"/,
    );
    const guest = as(url, (one) => {
      one.username = 'guest';
    });
    expect(await refusalOf(guest)).toMatch(
      /Can't use postgres:\/\/guest@127\.0\.0\.1:\d+\/test_\d+ because the user can't create a schema\. Run GRANT CREATE ON DATABASE, or use the owner of the database\. The driver reports: permission denied for database test_\d+\./,
    );
    expect(await refusalOf('postgres://a b:c@@/')).toMatch(
      /^The address of the database is malformed\. Use postgres:\/\/USER:PASSWORD@HOST:PORT\/DATABASE, and percent-encode special characters\.$/,
    );
    expect(await refusalOf(`${url}?connections=0`)).toMatch(
      /^connections must be a whole number from 1 to \d+ in postgres:\S+, but is "0"\.$/,
    );
  });

  test('is refused where no connection can be made, or too few', async () => {
    const url = await server.database();
    expect(await refusalOf(`${url}?sslmode=verify-full&sslrootcert=/absent.pem`)).toMatch(
      /^Can't use postgres:\/\/postgres@127\.0\.0\.1:\d+\/test_\d+ because the connection failed\. Check the address and the server\. The driver reports: ENOENT: no such file or directory, open '\/absent\.pem'\./,
    );
    await query(server.admin, 'create role one login connection limit 1');
    await query(server.admin, `grant all on database ${new URL(url).pathname.slice(1)} to one`);
    const one = as(url, (address) => {
      address.username = 'one';
    });
    expect(await refusalOf(one)).toMatch(
      /^Can't use postgres:\/\/one@127\.0\.0\.1:\d+\/test_\d+ because the connection failed\. Check the address and the server\. The driver reports: too many connections for role "one"\./,
    );
    // The server's process outlives its connection for a moment.
    const left = () => query(server.admin, `select from pg_stat_activity where usename = 'one'`);
    await expect.poll(left, { timeout: 10_000 }).toEqual([]);
  });

  test('is left as it is where it is only read, and holds nothing', async () => {
    const url = await server.database();
    await expect(createPostgresStore(url, undefined, true)).rejects.toThrow(
      /^postgres:\/\/postgres@127\.0\.0\.1:\d+\/test_\d+ contains no data of the mock: it has no schema record_model_mock\. Create it with: record-model mock --data ADDRESS$/,
    );
    expect(await query(url, `select to_regnamespace('record_model_mock') as schema`)).toEqual([
      { schema: null },
    ]);
  });

  test('is refused if it does not have all characters', async () => {
    await query(server.admin, `create database latin encoding 'LATIN1' locale 'C' template template0`);
    expect(await refusalOf(as(server.admin, (one) => (one.pathname = '/latin')))).toMatch(
      /^postgres:\/\/postgres@127\.0\.0\.1:\d+\/latin has the encoding LATIN1, which does not have all characters\. Create a database with: createdb --encoding UTF8 --template template0 NAME$/,
    );
  });

  test('is refused for a wrong password', async () => {
    await server.useRule('host all guest 127.0.0.1/32 scram-sha-256');
    const url = as(await server.database(), (one) => {
      one.username = 'guest';
      one.password = 'wrong';
    });
    expect(await refusalOf(url)).toMatch(
      /Can't use postgres:\/\/guest@127\.0\.0\.1:\d+\/test_\d+ because the server rejects the user or password\. Use postgres:\/\/USER:PASSWORD@HOST\/DATABASE\. The driver reports: password authentication failed for user "guest"\./,
    );
  });

  test('is left as it is where it holds the schema of somebody else, or of another release', async () => {
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
