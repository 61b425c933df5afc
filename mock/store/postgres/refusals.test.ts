import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UsageError } from '../../../spec/files/usage-error.ts';
import { NO_POSTGRES, query, startPostgres, type TestPostgres } from '../../../testing/stores/postgres.ts';
import { createPostgresStore } from './postgres.ts';

describe.skipIf(NO_POSTGRES)('a database that can not be used', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
    await query(server.admin, `create role guest login password 's3cret'`);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** What it is refused with. */
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
      /^postgres:\/\/postgres@127\.0\.0\.1:1\/test_1: nothing listens there; expected a/,
    );
    const absent = as(url, (one) => {
      one.pathname = '/absent';
    });
    expect(await refusalOf(absent)).toMatch(/database "absent" does not exist; expected one that is there/);
    const guest = as(url, (one) => {
      one.username = 'guest';
    });
    expect(await refusalOf(guest)).toMatch(/permission denied for database test_1; expected a user who may/);
    expect(await refusalOf('postgres://a b:c@@/')).toMatch(
      /malformed; expected postgres:\/\/USER:PASSWORD@HOST/,
    );
    expect(await refusalOf(`${url}?connections=0`)).toMatch(
      /connections is "0"; expected a whole number from 1/,
    );
  });

  test('is refused where no connection can be made, or too few', async () => {
    const url = await server.database();
    expect(await refusalOf(`${url}?sslmode=verify-full&sslrootcert=/absent.pem`)).toMatch(
      /^postgres:\/\/postgres@[^?]+: ENOENT.* '\/absent\.pem'/,
    );
    await query(server.admin, 'create role one login connection limit 1');
    await query(server.admin, `grant all on database ${new URL(url).pathname.slice(1)} to one`);
    const one = as(url, (address) => {
      address.username = 'one';
    });
    expect(await refusalOf(one)).toMatch(/^postgres:\/\/one@.*: too many connections for role "one"/);
    const left = await query(server.admin, `select from pg_stat_activity where usename = 'one'`);
    expect(left).toEqual([]);
  });

  test('is left as it is where it is only read, and holds nothing', async () => {
    const url = await server.database();
    await expect(createPostgresStore(url, new Map(), true)).rejects.toThrow(
      /^postgres:[^?]+ has no schema record_model_mock; expected one that record-model mock --data made$/,
    );
    expect(await query(url, `select to_regnamespace('record_model_mock') as schema`)).toEqual([
      { schema: null },
    ]);
  });

  test('is refused for a wrong password', async () => {
    await server.useRule('host all guest 127.0.0.1/32 scram-sha-256');
    const url = as(await server.database(), (one) => {
      one.username = 'guest';
      one.password = 'wrong';
    });
    expect(await refusalOf(url)).toMatch(
      /password authentication failed for user "guest"; expected the password/,
    );
  });

  test('is left as it is where it holds the schema of somebody else, or of a newer release', async () => {
    const foreign = await server.database();
    await query(foreign, 'create schema record_model_mock create table mine (id int)');
    expect(await refusalOf(foreign)).toMatch(
      /the schema record_model_mock is not the kit's; expected none of/,
    );
    const newer = await server.database();
    await (await createPostgresStore(newer)).close();
    await query(newer, 'update record_model_mock.version set version = 99');
    expect(await refusalOf(newer)).toMatch(/has version 99; expected at most 1\. A newer release wrote it/);
  });
});
