/**
 * Measures a mock with a SQLite file that has many records of one model: milliseconds until it is ready, of pages, and
 * of writes, with the memory of the mock. The mock runs in this process, and another process fills the file.
 *
 *   node bench/speed/file-pages.ts [--records 1000000] [--rounds 5] [--data FILE]
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createMock, type Mock } from '../../mock/mock.ts';

const PATH = '/api/model/warehouse';
const PAGES = [
  ['plain page', '?limit=20'],
  ['last page', '?limit=20&offset=LAST'],
  ['filtered page', '?comments=s7&limit=20'],
  ['sorted page', '?sort=-name&limit=20'],
  ['filtered, sorted', '?comments=s7&sort=-name&limit=20'],
] as const;

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    data: { type: 'string' },
    fill: { type: 'string' },
  },
});
const [records, rounds] = [Number(values.records), Number(values.rounds)];

if (values.fill !== undefined) await fill(values.fill);
else await measure();

async function fill(data: string): Promise<void> {
  const all = Array.from({ length: records }, (_, index) => ({
    id: index + 1,
    name: `Ñ ${(index * 7919) % records}`,
    comments: `s${index % 1000}`,
  }));
  await using _mock = await createMock({ fixtures: new Map([['warehouse', all]]), data });
}

async function measure(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'file-pages-'));
  const data = values.data ?? join(directory, 'mock.db');
  try {
    if (!existsSync(data))
      await show('filled', async () => {
        execFileSync(process.execPath, [import.meta.filename, '--fill', data, '--records', String(records)]);
      });
    await run(data);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function run(data: string): Promise<void> {
  let mock: Mock | undefined;
  await show('ready', async () => {
    mock = await createMock({ data });
  });
  if (!mock) return;
  await using one = mock;
  for (const [name, query] of PAGES)
    for (let round = 0; round < 2; round++) {
      const asked = query.replace('LAST', String(records - 30));
      await show(
        round === 0 ? `${name}, first` : name,
        () => ask(one, 'GET', asked),
        round === 0 ? 1 : rounds,
      );
    }
  await show('twenty at once', () =>
    Promise.all(Array.from({ length: 20 }, (_, index) => ask(one, 'GET', `?comments=s${index}&limit=20`))),
  );
  const body = { name: 'a', comments: 'b' };
  await show('create, first', () => ask(one, 'POST', '', body));
  await show('create', () => ask(one, 'POST', '', body), rounds);
  await show('update', () => ask(one, 'POST', '/500', body), rounds);
  let deleted = 1000;
  await show('delete', () => ask(one, 'DELETE', `/${++deleted}`), rounds);
  await show('plain page, changed', () => ask(one, 'GET', '?limit=20'), rounds);
  await show('sorted page, changed', () => ask(one, 'GET', '?sort=-name&limit=20'), rounds);
  await show('snapshot', () => control(one, 'POST', 'snapshots', { name: 'bench' }));
  await show('create after it', () => ask(one, 'POST', '', body));
  await show('reset', () => one.reset());
  await control(one, 'DELETE', 'snapshots/bench');
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

async function ask(mock: Mock, method: string, path: string, body?: object): Promise<void> {
  const init = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const answer = await mock.fetch(new Request(`http://127.0.0.1${PATH}${path}`, { method, ...init }));
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
}

async function control(mock: Mock, method: string, path: string, body?: object): Promise<void> {
  const init = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const answer = await mock.fetch(new Request(`http://127.0.0.1/__mock/${path}`, { method, ...init }));
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}`);
}

/** Prints the median time of some work, and the memory of this process after it. */
async function show(name: string, work: () => Promise<unknown>, times = 1): Promise<void> {
  const taken: number[] = [];
  const used: number[] = [];
  for (let time = 0; time < times; time++) {
    const [begun, cpu] = [performance.now(), process.cpuUsage()];
    await work();
    taken.push(performance.now() - begun);
    const { system, user } = process.cpuUsage(cpu);
    used.push((user + system) / 1000);
  }
  const [all, own] = [taken, used].map((times) => `${median(times).toFixed(1).padStart(9)} ms`);
  const memory = Math.round(process.memoryUsage().rss / 2 ** 20);
  process.stdout.write(`${name.padEnd(24)} ${all} ${own} of the processor  ${memory} MiB\n`);
}
