import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { catalogue, check, references } from '../../testing/checks.ts';
import { createAt } from '../../testing/services/service.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { BARE, insert, useForeignService } from '../../testing/use-foreign-service.ts';
import { createTarget } from '../target/target.ts';
import { clean, createJournal, type JournalLine, readJournal } from './journal.ts';

const directory = useDirectory();
const { closing, serve, start } = useForeignService();

/** Removes what a run with these lines in its journal left. */
async function cleanUp(url: string, startedAt: unknown, lines: readonly JournalLine[]) {
  const head = { journal: 1, target: url, tag: 'k3f9', startedAt, profile: {} };
  const text = [head, ...lines].map((line) => JSON.stringify(line)).join('\n');
  const journal = readJournal(directory.write('journal.jsonl', text), catalogue);
  return clean(journal, { catalogue, references }, closing(createTarget({ baseUrl: url })), false);
}

const row = { id: 1, created: '2026-01-01T00:00:00Z', createUser: 1 };
const create: JournalLine = { create: 'brand', n: 1, sent: { name: 'name k3f9-1' } };

test.each<[string, JournalLine[], string[]]>([
  [
    'has a reused ID, and was created in the same second',
    [create, { made: 1, id: 1, shown: { ...row, name: 'name k3f9-1' } }],
    ['brand/1'],
  ],
  [
    'has only the ID and the time that the create returned',
    [create, { made: 1, id: 1, shown: row }],
    ['brand/1'],
  ],
  [
    'has the strings of a create whose outcome is unknown',
    [{ create: 'brand', n: 1, sent: { name: 'Altura' } }],
    ['brand/1', 'brand/2'],
  ],
  ['the run listed, and that no create returned', [{ left: 'brand/2' }], ['brand/2']],
])('a record of others is spared that %s', async (_, lines, spared) => {
  const writes: string[] = [];
  const answers = ({ method }: { method: string }) => void (method !== 'GET' && writes.push(method));
  const service = await start({ answers }, ...BARE);
  for (const name of ['Altura', 'Altura']) insert(service, 'brand', { name, created: row.created });
  const cleaned = await cleanUp(service.url, row.created, lines);
  expect(cleaned).toEqual({ removed: [], spared, left: [], unseen: new Map() });
  expect(writes).toEqual([]);
});

test('a record without a value that tells is removed by the ID and the time of its create', async () => {
  const url = await serve();
  const make = async () => (await createAt(url, 'consumerHomeItem', {})) as RecordValues & { id: number };
  const [ours, theirs] = [await make(), await make()];
  const cleaned = await cleanUp(url, ours.created, [
    { create: 'consumerHomeItem', n: 1, sent: {} },
    { made: 1, id: ours.id, shown: ours },
    { create: 'consumerHomeItem', n: 2, sent: {} },
    { made: 2, id: theirs.id, shown: { ...theirs, created: '2020-01-01T00:00:00Z' } },
  ]);
  expect(cleaned).toMatchObject({
    removed: [`consumerHomeItem/${ours.id}`],
    spared: [`consumerHomeItem/${theirs.id}`],
  });
});

test('where the file can not be made, nothing is', async () => {
  const service = await start({}, ...BARE);
  const path = directory.path('journal.jsonl');
  // The link leads to no file, so a check whether the file exists isn't enough.
  symlinkSync(directory.path('nowhere'), path);
  const journal = createJournal({ path, target: service.url, tag: 'k3f9' });
  const { cases, counts } = await check(service.url, { models: ['brand'], rules: ['operations'], journal });
  expect(service.live()).toEqual([]);
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
  const { before } = journal.watch(() => false);
  const request = { method: 'POST', path: '/api/model/brand' };
  const note = async (n) => {
    const sent = { name: 'n'.repeat(300) + n };
    await before({ operation: 'create', model: catalogue.models.get('brand'), request, profile: {}, sent }).then(() => may.push(n), ({ message }) => said.add(message));
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

test.skipIf(process.platform !== 'linux')(
  'on a full disk, a create is sent only if its journal line is complete',
  () => {
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
    expect(noted).toEqual(may);
    // A run without leftovers writes nothing.
    expect(readdirSync(directory.path()).sort()).toEqual(['cut.jsonl', 'journal.jsonl']);
  },
);
