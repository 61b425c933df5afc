import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { catalogue, check, references } from '../../testing/checks.ts';
import { startPlain } from '../../testing/services/plain/plain.ts';
import { type SqliteService, startSqliteService } from '../../testing/services/sqlite-service.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { createTarget } from '../target/target.ts';
import { clean, readJournal } from './clean.ts';
import { createJournal, type JournalLine } from './journal.ts';

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

/** Runs the command in a process, and kills it when `until` returns true. */
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
const MODELS = ['brand', 'warehouse', 'supplier'];
const ids = (service: SqliteService) => MODELS.map((model) => service.rows(model).map(({ id }) => id));

describe('a run that is killed', () => {
  test.each([60])(
    'after %i creates leaves a journal, and clean leaves the rows of before and what can be of others',
    async (creates) => {
      const service = await start();
      const before = ids(service);
      const args = ['check', service.url, '--models', 'brand,warehouse,supplier', '--timeout', '2000'];
      expect(await run(args, () => service.made() >= creates)).toBe(null);
      // The service might read the last requests of the process only now.
      await service.disconnected();
      const [journal = '', ...others] = journals();
      expect(others).toEqual([]);
      expect(readFileSync(directory.path(journal), 'utf8')).toContain(service.url);
      const theirs = service.insert('brand', { name: 'made later by somebody else' });
      const unfinished = readJournal(directory.path(journal), catalogue);
      const target = createTarget({ baseUrl: unfinished.target });
      try {
        const dry = await clean(unfinished, { catalogue, references }, target, true);
        // The last deleted record of the run can have had the ID of another client's record.
        const spared = dry.spared.filter((name) => name !== `brand/${theirs}`);
        expect(ids(service).flat().length).toBe(
          before.flat().length + 1 + dry.removed.length + spared.length,
        );
        // A record without a seen response and without a tag, such as `0001002`, can be another run's.
        expect(spared.length).toBeLessThanOrEqual(unfinished.open.length);
        expect(await clean(unfinished, { catalogue, references }, target, false)).toEqual({
          ...dry,
          left: [],
        });
        const names = ids(service).flatMap((all, index) => all.map((id) => `${MODELS[index]}/${id}`));
        const old = before.flatMap((all, index) => all.map((id) => `${MODELS[index]}/${id}`));
        expect(names.toSorted()).toEqual([...old, `brand/${theirs}`, ...spared].toSorted());
      } finally {
        await target.close();
      }
      expect(service.harm).toEqual([]);
    },
  );
});

describe('what others made is spared', () => {
  const row = { id: 1, created: '2026-01-01T00:00:00Z', createUser: 1 };
  test.each<[string, JournalLine[], string[]]>([
    [
      'where it has an id that was used again, and was created in the same second',
      [
        { create: 'brand', n: 1, sent: { name: 'name k3f9-1' } },
        { made: 1, id: 1, shown: { ...row, name: 'name k3f9-1' } },
      ],
      ['brand/1'],
    ],
    [
      'where the create showed no more than the id and the time',
      [
        { create: 'brand', n: 1, sent: { name: 'name k3f9-1' } },
        { made: 1, id: 1, shown: row },
      ],
      ['brand/1'],
    ],
    [
      'where a create that nobody knows the end of sent the same texts',
      [{ create: 'brand', n: 1, sent: { name: 'Altura' } }],
      ['brand/1', 'brand/2'],
    ],
  ])('%s', async (_, lines, spared) => {
    const service = await startSqliteService();
    open.push(service);
    for (const name of ['Altura', 'Altura']) service.insert('brand', { name });
    service.db.exec(`UPDATE brand SET created = '${row.created}'`);
    const head = { journal: 1, target: service.url, tag: 'k3f9', startedAt: row.created, profile: {} };
    const text = [head, ...lines].map((line) => JSON.stringify(line)).join('\n');
    const journal = directory.write('journal.jsonl', text);
    const target = createTarget({ baseUrl: service.url });
    try {
      const cleaned = await clean(readJournal(journal, catalogue), { catalogue, references }, target, false);
      expect(cleaned).toEqual({ removed: [], spared, left: [], unseen: new Map() });
    } finally {
      await target.close();
    }
    expect(service.harm).toEqual([]);
  });
});

test('a record without a value that tells is removed by the ID and the time of its create', async () => {
  const service = await startPlain();
  const url = `${service.url}/api/model/consumerHomeItem`;
  const headers = { 'content-type': 'application/json' };
  const create = async () =>
    (await (await fetch(url, { method: 'POST', headers, body: '{}' })).json()) as RecordValues;
  const target = createTarget({ baseUrl: service.url });
  try {
    const [ours, theirs] = [await create(), await create()];
    const older = { ...theirs, created: '2020-01-01T00:00:00Z' };
    const lines = [
      { journal: 1, target: service.url, tag: 'k3f9', startedAt: ours.created, profile: {} },
      { create: 'consumerHomeItem', n: 1, sent: {} },
      { made: 1, id: ours.id, shown: ours },
      { create: 'consumerHomeItem', n: 2, sent: {} },
      { made: 2, id: theirs.id, shown: older },
    ];
    const journal = directory.write('journal.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(await clean(readJournal(journal, catalogue), { catalogue, references }, target, false)).toEqual({
      removed: [`consumerHomeItem/${ours.id}`],
      spared: [`consumerHomeItem/${theirs.id}`],
      left: [],
      unseen: new Map(),
    });
  } finally {
    await target.close();
    await service.close();
  }
});

test('where the file can not be made, nothing is', async () => {
  const service = await start();
  const path = directory.path('journal.jsonl');
  // The link leads to no file, so a check whether the file exists isn't enough.
  symlinkSync(directory.path('nowhere'), path);
  const journal = createJournal({ path, target: service.url, tag: 'k3f9' });
  const { cases, counts } = await check(service.url, { models: ['brand'], rules: ['operations'], journal });
  expect(service.made()).toBe(0);
  expect(counts.error).toBeGreaterThan(0);
  const said = cases.filter(({ outcome }) => outcome === 'error').map(({ message }) => message);
  expect(new Set(said)).toEqual(
    new Set([
      `The journal ${path} can't be written because it exists already. The run creates no records without it. Choose another place.`,
    ]),
  );
  expect(existsSync(directory.path('nowhere'))).toBe(false);
});

/** Writes creates until the file can't grow, and one more when it can. Prints which creates may be sent. */
const FULL = `
import { execFileSync } from 'node:child_process';
const { createJournal } = await import(process.argv[1] + '/journal.ts');
const { loadCatalogue } = await import(process.argv[1] + '/../../spec/catalogue/catalogue.ts');
const catalogue = loadCatalogue();
const may = [];
const said = new Set();
const open = (path) => {
  const journal = createJournal({ path, target: 'http://127.0.0.1:1', tag: 'k3f9' });
  const { before } = journal.watch(catalogue, () => false);
  const request = { method: 'POST', path: '/api/model/brand' };
  const note = async (n) => {
    const sent = { name: 'n'.repeat(300) + n };
    await before({ operation: 'create', model: 'brand', request, profile: {}, sent }).then(() => may.push(n), ({ message }) => said.add(message));
  };
  return { ...journal, note };
};
const emptied = open('emptied.jsonl');
for (let n = 1; n <= 20; n++) await emptied.note(n);
emptied.finish([]);
const cut = open('cut.jsonl');
for (let n = 1; n <= 20; n++) await cut.note(n);
cut.finish(['brand/1']);
may.length = 0;
const journal = open('journal.jsonl');
for (let n = 1; n <= 20; n++) await journal.note(n);
execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited:']);
await journal.note(21);
console.log(may.join());
console.log([...said].join('\\n'));
journal.finish(['brand/1']);
`;

test.skipIf(process.platform !== 'linux')('on a full disk no create is sent whose line is not whole', () => {
  const limited = ['-c', 'ulimit -S -f 8; exec "$@"', 'sh', process.execPath];
  const script = ['--input-type=module', '--eval', FULL, import.meta.dirname];
  const said = execFileSync('sh', [...limited, ...script], { cwd: directory.path('.'), encoding: 'utf8' });
  const [sent = '', ...messages] = said.trim().split('\n');
  const may = sent.split(',').map(Number);
  expect(messages).toEqual(
    ['emptied', 'cut', 'journal'].map((name) =>
      expect.stringMatching(
        `^The journal ${name}.jsonl can't be written because it would exceed the maximum file size\\. `,
      ),
    ),
  );
  expect(may.length).toBeLessThan(20);
  expect(may.at(-1)).toBe(21);
  const { open: intents } = readJournal(directory.path('journal.jsonl'), catalogue);
  const noted = intents.map(({ sent }) => Number(/\d+$/.exec(String(sent.name))));
  expect(noted).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
  // A run without leftovers writes nothing.
  expect(journals().sort()).toEqual(['cut.jsonl', 'journal.jsonl']);
});

test('a run that ends leaves no journal', async () => {
  const service = await start();
  const before = ids(service);
  await run(['check', service.url, '--models', 'brand']);
  expect(journals()).toEqual([]);
  expect(existsSync(directory.path('record-model-leftovers.json'))).toBe(false);
  expect(ids(service)).toEqual(before);
});
