import { afterEach, expect, test } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { against, type Checking, catalogue, check, references } from '../../testing/checks.ts';
import {
  type SqliteOptions,
  type SqliteService,
  startSqliteService,
} from '../../testing/services/sqlite-service.ts';
import { learnProfile } from '../learn/learn.ts';
import { createTarget, type Target } from '../target/target.ts';

const open: { close(): unknown }[] = [];
const profile = createProfile(
  {
    'delete.effect': 'remove',
    'errors.form': 'simple',
    'list.filter': 'none',
    'list.paging': 'none',
    'list.sort': 'none',
    'request.unknownFields': 'ignore',
    'response.total': 'none',
    'status.noOperation': 404,
  },
  catalogue,
);

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function start(options: SqliteOptions): Promise<SqliteService> {
  const service = await startSqliteService(options);
  open.push(service);
  return service;
}

const UNIQUE = { uniqueNames: true, softDelete: true };
const run = async (service: SqliteService, more: Checking) => {
  const results = await check(service.url, { profile, models: ['brand', 'warehouse'], ...more });
  return against(results).map(({ id, message }) => `${id}: ${message}`);
};

test('run after run on one database: names that are unique, those of deleted rows too, don’t collide', async () => {
  const service = await start(UNIQUE);
  const target = createTarget({ baseUrl: service.url });
  open.push(target);
  for (let times = 0; times < 3; times++) {
    const tag = `t${times}`;
    await learnProfile({ catalogue, references, target, write: true, seed: 1000, tag: `${tag}l` });
    expect(await run(service, { seed: 1000, tag })).toEqual([]);
  }
});

test('seed and tag replay a run byte by byte; another tag sends other values of the same shape', async () => {
  const sentWith = async (tag: string) => {
    const service = await start({});
    const bodies: string[] = [];
    const wrap = (target: Target): Target => ({
      ...target,
      send: (request, record) => {
        bodies.push(`${request.method} ${request.path} ${request.body ?? ''}`);
        return target.send(request, record);
      },
    });
    expect(await run(service, { tag, wrap, models: ['warehouse'], concurrency: 1 })).toEqual([]);
    return bodies;
  };
  const [one, again, other] = [await sentWith('aa'), await sentWith('aa'), await sentWith('bb')];
  expect(again).toEqual(one);
  expect(other).not.toEqual(one);
  const shape = (lines: string[]) =>
    lines.map((line) => line.replaceAll(/\b(aa|bb)-|\d+/g, '#').replaceAll('##', '#'));
  expect(shape(other)).toEqual(shape(one));
});

test('a create that is refused for a value that another record has is sent once more with another one', async () => {
  const seen = new Set<unknown>();
  const service = await start({
    refuse(_, { name }) {
      if (seen.has('one') || typeof name !== 'string') return undefined;
      seen.add('one');
      return 'name is already taken';
    },
  });
  expect(await run(service, { tag: 'cc', models: ['warehouse'], rules: ['operations', 'create'] })).toEqual(
    [],
  );
  expect(seen.size).toBe(1);
});
