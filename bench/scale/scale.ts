/**
 * How the mock holds beside others: when it is ready, what memory it takes, and its requests a second as ratios to those
 * of a bare node:http server. All of a size run at once and are asked by turns, so that what else the machine does falls on
 * all of them; the median of the rounds, and their spread.
 *
 *   npm run bench -- [--records 20 --records 10000 --records 100000] [--rounds 5] [--only memory]
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { NO_POSTGRES, startPostgres, type TestPostgres } from '../../testing/stores/postgres.ts';
import { CONTESTANTS, type Contestant } from './contestants.ts';
import { calibrate, measure } from './load.ts';
import { COLUMNS, type Column } from './requests.ts';
import { type Server, startInProcess, startServer } from './server.ts';

const OTHERS = join(import.meta.dirname, 'others');

const { values } = parseArgs({
  options: {
    records: { type: 'string', multiple: true, default: ['20', '10000', '100000'] },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', multiple: true },
  },
});
const rounds = Number(values.rounds);
const scratch = mkdtempSync(join(tmpdir(), 'record-model-bench-'));
let postgres: TestPostgres | undefined;
try {
  const wanted = CONTESTANTS.filter(
    ({ name }, index) => index === 0 || (values.only ?? [name]).some((word) => name.startsWith(word)),
  );
  installOthers();
  if (wanted.some(({ database }) => database) && !NO_POSTGRES) postgres = await startPostgres();
  print(describeMachine());
  for (const records of values.records.map(Number)) await compare(wanted, records);
} finally {
  await postgres?.[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
}

/** Compares all that take so many records. */
async function compare(wanted: readonly Contestant[], records: number): Promise<void> {
  const file = join(scratch, `${records}.json`);
  writeFileSync(file, JSON.stringify({ warehouse: warehouses(records) }));
  const servers: Server[] = [];
  try {
    for (const contestant of wanted) {
      if (contestant.most < records || (contestant.database && !postgres)) continue;
      status(`${records} records: starting ${contestant.name}`);
      const database = contestant.database && postgres ? await postgres.database() : '';
      servers.push(
        contestant.command
          ? await startServer(contestant, contestant.command, { file, database, scratch })
          : await startInProcess(contestant, file),
      );
    }
    const atStart = servers.map((server) => server.memory());
    const results = new Map<Column, number[][]>();
    for (const column of COLUMNS) results.set(column, await roundsOf(servers, column, records));
    printTable(records, servers, atStart, results);
  } finally {
    for (const server of servers) await server.close();
  }
}

/** For each server, its requests a second as ratios to those of the first in the same round. */
async function roundsOf(servers: readonly Server[], column: Column, records: number): Promise<number[][]> {
  // Each asks for as many as takes it half a second, which warms it up too.
  const amounts: number[] = [];
  for (const server of servers) amounts.push(await calibrate(server, column));
  const ratios = servers.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    status(`${records} records: ${column}, round ${round + 1} of ${rounds}`);
    let bare = Number.NaN;
    for (const [index, server] of servers.entries()) {
      const rate = await measure(server, column, amounts[index] ?? 0);
      if (index === 0) bare = rate;
      ratios[index]?.push(rate / bare);
    }
  }
  return ratios;
}

function printTable(
  records: number,
  servers: readonly Server[],
  atStart: readonly number[],
  results: ReadonlyMap<Column, number[][]>,
): void {
  status('');
  print(`\n## ${records.toLocaleString('en')} records\n`);
  print(`| | ready, ms | MiB at start | after load | ${COLUMNS.join(' | ')} |`);
  print(`|---|--:|--:|--:|${COLUMNS.map(() => '--:|').join('')}`);
  for (const [index, server] of servers.entries()) {
    const cells = COLUMNS.map((column) => describeSpread(results.get(column)?.[index] ?? []));
    const memory = [atStart[index] ?? 0, server.memory()].map((size) => (size > 0 ? size.toFixed(0) : '–'));
    print(`| ${[server.contestant.name, server.ready.toFixed(0), ...memory, ...cells].join(' | ')} |`);
  }
}

function describeSpread(ratios: readonly number[]): string {
  const sorted = ratios.toSorted((one, other) => one - other);
  const [least = 0, median = 0, most = 0] = [0, Math.floor(sorted.length / 2), sorted.length - 1].map(
    (at) => sorted[at],
  );
  return `${median.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`;
}

/** A tenth of them have `comments` "s7". */
function warehouses(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    name: `W${index + 1}`,
    comments: `s${(index + 1) % 10}`,
  }));
}

function installOthers(): void {
  if (existsSync(join(OTHERS, 'node_modules'))) return;
  status('installing the other mock servers');
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'], {
    cwd: OTHERS,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function describeMachine(): string {
  const versionOf = (name: string, from = join(OTHERS, 'node_modules')) =>
    JSON.parse(readFileSync(join(from, name, 'package.json'), 'utf8')).version;
  const root = join(import.meta.dirname, '../../node_modules');
  const versions = [
    `Node ${process.version}`,
    `Prism ${versionOf('@stoplight/prism-cli', root)}`,
    `json-server ${versionOf('json-server', root)}`,
    `Mockoon ${versionOf('@mockoon/commons-server')}`,
    `Scalar ${versionOf('@scalar/mock-server')}`,
    postgres ? 'PostgreSQL without fsync' : 'no PostgreSQL here',
  ];
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  return `${versions.join(', ')}; ${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown'}, ${memory}`;
}

/** What is under way, where somebody looks. */
function status(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
