/**
 * Compares the mock with a bare node:http server, with plain SQL, and with stock Prism: start time, memory, and, as ratios
 * to the bare server, requests per second and processor time per request. All servers of a size run at once and get their
 * requests in turn, each right after the bare server, so that other load affects both. Prints the median of the rounds,
 * their spread, and whether each goal is met.
 *
 *   npm run bench -- [--records 20 --records 10000 --records 100000] [--rounds 7] [--only memory]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempDisposableSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { Agent, request } from 'node:http';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { repeatable, values, wholeNumber } from '../../cli/options.ts';
import { freePort, NO_POSTGRES, startPostgres } from '../../testing/stores/postgres.ts';

/** The parts that a server starts with: a file of records, a separate directory, and an empty database. */
type Place = {
  readonly port: string;
  readonly records: string;
  readonly directory: string;
  readonly database: string;
};

type Contestant = {
  readonly name: string;
  /** The words after the program: Node runs them. */
  readonly words: (place: Place) => readonly string[];
  /** How many processes share the load (default: 1). */
  readonly replicas?: number;
  /** The most records that it can hold (default: any number). */
  readonly most?: number;
  /** Its goals: the minimum ratios to the bare server. */
  readonly goals?: Partial<Record<Column, number>>;
  /** The maximum ratios of its processor time per request to the bare server's. */
  readonly costs?: Partial<Record<Column, number>>;
};

type Server = Contestant & {
  readonly urls: readonly string[];
  /** Milliseconds from the start of the first process to its first response. */
  readonly ready: number;
  readonly children: readonly ChildProcess[];
};

type Asked = { readonly method: string; readonly path: string; readonly body?: string };

const ROOT = join(import.meta.dirname, '../..');
const PATH = '/api/model/warehouse';
const BODY = JSON.stringify({ name: 'Central', comments: 'left' });

/** The requests of each column. */
const COLUMNS = {
  retrieve: { method: 'GET', path: `${PATH}/7` },
  'list of 20': { method: 'GET', path: `${PATH}?limit=20` },
  'filtered, sorted': { method: 'GET', path: `${PATH}?comments=s7&sort=-name&limit=20` },
  create: { method: 'POST', path: PATH, body: BODY },
  update: { method: 'POST', path: `${PATH}/7`, body: BODY },
} satisfies Record<string, Asked>;
type Column = keyof typeof COLUMNS;
const COLUMN_NAMES = Object.keys(COLUMNS) as Column[];

const mock =
  (...flags: string[]) =>
  ({ port, records }: Place) => [
    join(ROOT, 'dist/cli.js'),
    ...['mock', '--port', port, '--fixtures', records, ...flags],
  ];

const CONTESTANTS: readonly Contestant[] = [
  {
    name: 'bare node:http',
    words: ({ port, records }) => [join(import.meta.dirname, 'bare.ts'), port, records],
  },
  {
    name: 'memory, request log as text',
    words: mock(),
    goals: { retrieve: 0.8, 'list of 20': 0.8, create: 0.55 },
    costs: { retrieve: 1.33, 'list of 20': 1.19, create: 1.67 },
  },
  {
    name: 'memory',
    words: mock('--quiet'),
    goals: { retrieve: 0.7, 'list of 20': 0.75, create: 0.55, update: 0.5 },
  },
  {
    name: 'SQLite',
    words: (place) => mock('--quiet', '--data', join(place.directory, 'mock.db'))(place),
    goals: { retrieve: 0.4, create: 0.25 },
  },
  {
    name: 'PostgreSQL, plain SQL',
    words: ({ database, port, records }) => [join(import.meta.dirname, 'sql.ts'), port, records, database],
  },
  { name: 'PostgreSQL', words: (place) => mock('--quiet', '--data', place.database)(place) },
  {
    name: 'PostgreSQL, 3 replicas',
    words: (place) => mock('--quiet', '--data', place.database)(place),
    replicas: 3,
  },
  {
    name: 'Prism, stock',
    words: ({ port }) => [
      join(ROOT, 'node_modules/.bin/prism'),
      ...['mock', '-p', port, '-v', 'silent', join(ROOT, 'dist/openapi.json')],
    ],
    most: 20,
  },
];

const CONNECTIONS = 10;
/** Seconds of one measurement: short, so that the other load of the machine affects two in a row alike. */
const LONG = 0.25;
/** Milliseconds of requests before a server is measured, in which Node compiles the code that runs often. */
const WARM = 3000;
const NO_RATIOS: Ratios = { rate: [], cost: [] };

const RECORDS = wholeNumber(1, 10_000_000);
const options = new Command('npm run bench --')
  .option(
    '--records <number>',
    'compare with this number of records (repeatable)',
    repeatable((text) => [String(RECORDS(text))]),
  )
  .option('--rounds <number>', 'measure each request this many times', wholeNumber(1, 1000), 7)
  .option('--only <name>', 'only servers whose names start with this word (repeatable)', values)
  .parse()
  .opts<{ records?: string[]; rounds: number; only?: string[] }>();
using made = mkdtempDisposableSync(join(tmpdir(), 'record-model-bench-'));
const scratch = made.path;
await using postgres = NO_POSTGRES ? undefined : await startPostgres({ isDurable: true });
print(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown'}`);
for (const records of options.records ?? [20, 10_000, 100_000]) await compare(Number(records));

/** Measures the servers that can hold this number of records, and prints a table. */
async function compare(records: number): Promise<void> {
  const file = join(scratch, `${records}.json`);
  const warehouse = Array.from({ length: records }, (_, index) => ({
    id: index + 1,
    name: `W${index + 1}`,
    comments: `s${(index + 1) % 10}`,
  }));
  writeFileSync(file, JSON.stringify({ warehouse }));
  const wanted = CONTESTANTS.filter(
    ({ most = records, name }, index) =>
      records <= most &&
      (postgres || !name.startsWith('PostgreSQL')) &&
      (index === 0 || (options.only ?? [name]).some((word) => name.startsWith(word))),
  );
  const servers: Server[] = [];
  try {
    for (const contestant of wanted) servers.push(await startServer(contestant, file));
    const atStart = servers.map(memoryOf);
    const measured = new Map<Column, readonly Ratios[]>();
    for (const column of COLUMN_NAMES) measured.set(column, await measureAll(servers, column));
    const cellsOf = (index: number, show: (ratios: Ratios, column: Column) => string) =>
      COLUMN_NAMES.map((column) => show(measured.get(column)?.[index] ?? NO_RATIOS, column));
    print(`\n## ${records.toLocaleString('en')} records\n`);
    printHead('', 'ready, ms', 'MiB at start', 'after load', ...COLUMN_NAMES);
    for (const [index, server] of servers.entries()) {
      const figures = [server.ready, atStart[index] ?? 0, memoryOf(server)].map((figure) =>
        figure.toFixed(0),
      );
      const rates = cellsOf(index, ({ rate }, column) => cellOf(rate, '≥', server.goals?.[column]));
      printRow(server.name, ...figures, ...rates);
    }
    print('\nProcessor time per request:\n');
    printHead('', ...COLUMN_NAMES);
    for (const [index, { costs, name }] of servers.entries())
      printRow(name, ...cellsOf(index, ({ cost }, column) => cellOf(cost, '≤', costs?.[column])));
  } finally {
    for (const child of servers.flatMap(({ children }) => children)) child.kill('SIGKILL');
  }
}

/** Starts a server in a separate directory. Throws with its output if it ends. */
async function startServer(contestant: Contestant, records: string): Promise<Server> {
  const database = contestant.name.startsWith('PostgreSQL') ? ((await postgres?.database()) ?? '') : '';
  const children: ChildProcess[] = [];
  const urls: string[] = [];
  let ready = 0;
  for (let replica = 0; replica < (contestant.replicas ?? 1); replica++) {
    const port = String(await freePort());
    const directory = join(scratch, port);
    mkdirSync(directory);
    const output = join(directory, 'stderr.txt');
    const started = performance.now();
    const words = contestant.words({ port, records, directory, database });
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', openSync(output, 'w')] });
    children.push(child);
    const url = `http://127.0.0.1:${port}`;
    while (!(await fetch(`${url}${PATH}/7`).catch(() => undefined))) {
      if (child.exitCode !== null) throw new Error(`${contestant.name}: ${readFileSync(output, 'utf8')}`);
      await wait(2);
    }
    ready ||= performance.now() - started;
    urls.push(url);
  }
  return { ...contestant, urls, ready, children };
}

/** The ratios of a server to the bare one, one per round: of requests per second, and of processor time per request. */
type Ratios = { readonly rate: readonly number[]; readonly cost: readonly number[] };

/** Returns the ratios of each server to the first one, a measurement of which comes right before. */
async function measureAll(servers: readonly Server[], column: Column): Promise<Ratios[]> {
  const amounts: number[] = [];
  for (const server of servers) {
    let amount = CONNECTIONS;
    for (const end = performance.now() + WARM; performance.now() < end; ) {
      const { rate } = await measure(server, column, amount);
      amount = Math.ceil(Math.min(5000, Math.max(CONNECTIONS, rate * LONG)));
    }
    amounts.push(amount);
  }
  const ratios = servers.map(() => ({ rate: [] as number[], cost: [] as number[] }));
  const [bare] = servers;
  for (let round = 0; bare && round < options.rounds; round++)
    for (const [index, server] of servers.entries()) {
      const usual = await measure(bare, column, amounts[0] ?? 0);
      const own = index === 0 ? usual : await measure(server, column, amounts[index] ?? 0);
      ratios[index]?.rate.push(own.rate / usual.rate);
      ratios[index]?.cost.push(own.cost / usual.cost);
    }
  return ratios;
}

/** Sends a number of requests of a column, of which each replica takes its share. */
async function measure(
  server: Server,
  column: Column,
  amount: number,
): Promise<{
  /** Requests per second. */
  readonly rate: number;
  /** Nanoseconds of processor time per request. */
  readonly cost: number;
}> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const { urls } = server;
  let left = amount;
  const work = async () => {
    while (left-- > 0) await send(agent, urls[left % urls.length] ?? '', COLUMNS[column]);
  };
  const [started, used] = [performance.now(), processorTimeOf(server)];
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  const seconds = (performance.now() - started) / 1000;
  const cost = (processorTimeOf(server) - used) / amount;
  agent.destroy();
  return { rate: amount / seconds, cost };
}

async function send(agent: Agent, url: string, { body, method, path }: Asked): Promise<void> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const asked = request(url + path, { agent, method, headers }).end(body);
  const [response] = await once(asked, 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode >= 300) throw new Error(`${method} ${path} returned ${response.statusCode}`);
}

/** Returns the nanoseconds that the running threads of a server have had a processor. */
function processorTimeOf({ children }: Server): number {
  return children
    .flatMap(({ pid }) => readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`))
    .reduce((sum, path) => sum + Number.parseInt(readFileSync(`${path}/schedstat`, 'utf8'), 10), 0);
}

/** Returns the MiB of all processes of a server. */
function memoryOf({ children }: Server): number {
  return children.reduce((sum, { pid }) => {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return sum + Number(kilobytes) / 1024;
  }, 0);
}

/** `0.81 (0.70–0.95), ≥ 0.7 met` */
function cellOf(ratios: readonly number[], sign: '≥' | '≤', goal?: number): string {
  const median = ratios.toSorted((one, other) => one - other)[ratios.length >> 1] ?? Number.NaN;
  const spread = `${median.toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`;
  if (goal === undefined) return spread;
  const isMet = sign === '≥' ? median >= goal : median <= goal;
  return `${spread}, ${sign} ${goal} ${isMet ? 'met' : 'not met'}`;
}

function printHead(...names: readonly string[]): void {
  printRow(...names);
  printRow('---', ...names.slice(1).map(() => '--:'));
}

function printRow(...cells: readonly string[]): void {
  print(`| ${cells.join(' | ')} |`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
