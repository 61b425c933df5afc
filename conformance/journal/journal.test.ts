import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { catalogue } from '../../testing/checks.ts';
import { type SqliteService, startSqliteService } from '../../testing/services/sqlite-service.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { createTarget } from '../target/target.ts';
import { clean, readJournal } from './clean.ts';

const directory = useDirectory();
const open: SqliteService[] = [];
const CLI = join(import.meta.dirname, '../../cli.ts');

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function start(): Promise<SqliteService> {
  const service = await startSqliteService();
  open.push(service);
  for (const name of ['one', 'two']) service.insert('brand', { name });
  return service;
}

/** Runs the command in a process of its own, which is killed when `until` says so. */
function run(args: readonly string[], until: () => boolean = () => false): Promise<number | null> {
  const child = spawn(process.execPath, [CLI, ...args], { cwd: directory.path('.'), stdio: 'ignore' });
  const watch = setInterval(() => until() && child.kill('SIGKILL'), 1);
  return new Promise((done) => {
    child.on('exit', (code) => {
      clearInterval(watch);
      done(code);
    });
  });
}

const journals = () => readdirSync(directory.path('.')).filter((name) => name.endsWith('.jsonl'));
const ids = (service: SqliteService) =>
  ['brand', 'warehouse', 'supplier'].map((model) => service.rows(model).map(({ id }) => id));

describe('a run that is killed', () => {
  test.each([3, 12, 25, 60])(
    'after %i creates leaves a journal, and clean leaves the rows of before',
    async (creates) => {
      const service = await start();
      const before = ids(service);
      const args = ['check', service.url, '--models', 'brand,warehouse,supplier', '--timeout', '2000'];
      expect(await run(args, () => service.made() >= creates)).toBe(null);
      // The requests that the process sent last may be read only now.
      await service.disconnected();
      const [journal = '', ...others] = journals();
      expect(others).toEqual([]);
      expect(readFileSync(directory.path(journal), 'utf8')).toContain(service.url);
      const theirs = service.insert('brand', { name: 'made later by somebody else' });
      const unfinished = readJournal(directory.path(journal), catalogue);
      const target = createTarget({ baseUrl: unfinished.target });
      try {
        const dry = await clean(unfinished, catalogue, target, true);
        expect(ids(service).flat().length).toBe(before.flat().length + 1 + dry.removed.length);
        // A row that the run deleted last may have lent its id to the one of somebody else.
        expect([[], [`brand/${theirs}`]]).toContainEqual(dry.spared);
        expect(await clean(unfinished, catalogue, target, false)).toEqual({ ...dry, left: [] });
      } finally {
        await target.close();
      }
      const [brands = [], ...rest] = before;
      expect(ids(service)).toEqual([[...brands, theirs], ...rest]);
      expect(service.harm).toEqual([]);
    },
  );
});

test('what others made with an id that is used again is spared, though it was created in the same second', async () => {
  const service = await start();
  const [brand = {}] = service.rows('brand');
  const journal = directory.write(
    'journal.jsonl',
    [
      { journal: 1, target: service.url, tag: 'k3f9', startedAt: '2026-01-01T00:00:00Z', profile: {} },
      { create: 'brand', n: 1, sent: { name: 'name k3f9-1' } },
      { made: 1, id: brand.id, shown: { ...brand, name: 'name k3f9-1' } },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n'),
  );
  const target = createTarget({ baseUrl: service.url });
  try {
    const cleaned = await clean(readJournal(journal, catalogue), catalogue, target, false);
    expect(cleaned).toEqual({ removed: [], spared: [`brand/${brand.id}`], left: [] });
  } finally {
    await target.close();
  }
  expect(service.harm).toEqual([]);
});

test('a run that ends leaves no journal', async () => {
  const service = await start();
  const before = ids(service);
  await run(['check', service.url, '--models', 'brand']);
  expect(journals()).toEqual([]);
  expect(existsSync(directory.path('record-model-leftovers.json'))).toBe(false);
  expect(ids(service)).toEqual(before);
});
