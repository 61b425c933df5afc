import { afterAll, beforeAll, describe } from 'vitest';
import { NO_POSTGRES, startPostgres, type TestPostgres } from '../../../testing/postgres.ts';
import { describeStore } from '../../../testing/store-behaviour.ts';
import { createPostgresStore } from './postgres.ts';

describe.skipIf(NO_POSTGRES)('over PostgreSQL', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  describeStore('in PostgreSQL', { lasts: true, isShared: true }, async () => {
    const url = await server.database();
    return { open: (indexed) => createPostgresStore(url, indexed), remove: async () => {} };
  });
});
