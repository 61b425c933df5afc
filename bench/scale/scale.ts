/**
 * Compares the mock with other servers: start time, memory, and requests per second as ratios to a bare node:http server.
 * All servers of a size run at once and get their requests in turn, each right after the bare server, so that other load
 * affects both. Prints the median of the rounds, their spread, and whether each goal is met.
 *
 *   npm run bench -- [--records 20 --records 10000 --records 100000] [--rounds 7] [--only memory]
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { NO_POSTGRES, startPostgres, type TestPostgres } from '../../testing/stores/postgres.ts';
import { CONTESTANTS, type Contestant } from './contestants.ts';
import { calibrate, measure } from './load.ts';
import { COLUMNS, type Column } from './requests.ts';
import { type Server, startInProcess, startServer } from './server.ts';
import { describeTable, type Measured } from './table.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', multiple: true, default: ['20', '10000', '100000'] },
    rounds: { type: 'string', default: '7' },
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
  if (wanted.some(({ database }) => database) && !NO_POSTGRES)
    postgres = await startPostgres({ isDurable: true });
  print(describeMachine());
  for (const records of values.records.map(Number)) await compare(wanted, records);
} finally {
  await postgres?.[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
}

/** Compares all servers that can hold this number of records. */
async function compare(wanted: readonly Contestant[], records: number): Promise<void> {
  const fileOf = (count: number) => {
    const file = join(scratch, `${count}.json`);
    if (!existsSync(file)) writeFileSync(file, JSON.stringify({ warehouse: warehouses(count) }));
    return file;
  };
  const servers: Server[] = [];
  try {
    for (const contestant of wanted) {
      const { fewest = 0, holds = records, most } = contestant;
      if (records < fewest || records > most || (contestant.database && !postgres)) continue;
      const file = fileOf(holds);
      status(`${records} records: starting ${contestant.name}`);
      const database = contestant.database && postgres ? await postgres.database() : '';
      servers.push(
        contestant.command
          ? await startServer(contestant, contestant.command, { file, database, scratch })
          : await startInProcess(contestant, file),
      );
    }
    const atStart = servers.map((server) => server.memory());
    const json = Buffer.byteLength(await textOf(servers)) * records;
    const columns = servers.map(() => new Map<Column, Measured>());
    for (const column of COLUMNS)
      for (const [index, measured] of (await measureAll(servers, column, records)).entries())
        columns[index]?.set(column, measured);
    const rows = servers.map((server, index) => ({
      server,
      atStart: atStart[index] ?? Number.NaN,
      columns: columns[index] ?? new Map(),
    }));
    status('');
    for (const line of describeTable(records, rows, json)) print(line);
  } finally {
    for (const server of servers) await server.close();
  }
}

/** Of each server: a slice of requests a round, each right after a slice of the first server. */
async function measureAll(servers: readonly Server[], column: Column, records: number): Promise<Measured[]> {
  const amounts: number[] = [];
  for (const server of servers) {
    status(`${records} records: ${column}, warming up ${server.contestant.name}`);
    amounts.push(await calibrate(server, column));
  }
  const measured = servers.map((): Measured => ({ rates: [], ratios: [] }));
  const [first] = servers;
  for (let round = 0; first && round < rounds; round++)
    for (const [index, server] of servers.entries()) {
      status(`${records} records: ${column}, round ${round + 1} of ${rounds}, ${server.contestant.name}`);
      const bare = await measure(first, column, amounts[0] ?? 0);
      const rate = index === 0 ? bare : await measure(server, column, amounts[index] ?? 0);
      measured[index]?.rates.push(rate);
      measured[index]?.ratios.push(rate / bare);
    }
  return measured;
}

/** A record as it is answered by the mock, which has more fields than it was given. */
async function textOf(servers: readonly Server[]): Promise<string> {
  const ours = servers.find(({ fetch }) => fetch);
  const { urls: [url = ''] = [], contestant } = ours ?? {};
  const answer = await ours?.fetch?.(new Request(`${url}${contestant?.paths.collection}/7`));
  return (await answer?.text()) ?? '';
}

/** A tenth of them have `comments` "s7". */
function warehouses(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    name: `W${index + 1}`,
    comments: `s${(index + 1) % 10}`,
  }));
}

function describeMachine(): string {
  const root = join(import.meta.dirname, '../../node_modules');
  const versionOf = (name: string) =>
    JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')).version;
  const versions = [
    `Node ${process.version}`,
    `Prism ${versionOf('@stoplight/prism-cli')}`,
    postgres ? 'PostgreSQL' : 'no PostgreSQL here',
  ];
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  return `${versions.join(', ')}; ${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown'}, ${memory}`;
}

/** Shows the current step in a terminal. */
function status(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
