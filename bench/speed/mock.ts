/**
 * How fast the mock is: its requests a second as ratios to those of a bare node:http server that validates nothing, each
 * in a process of its own, asked by turns; the median of the rounds. Beside them, when each is ready, and its memory.
 *
 *   npm run bench:mock -- [--records 20 --records 10000] [--rounds 7] [--amount 4000]
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';

const CONNECTIONS = 10;
const PATH = '/api/model/warehouse';
/** What the package installs as `record-model`; the script builds it first. */
const CLI = join(import.meta.dirname, '../../dist/cli.js');
const BARE = `require('node:http').createServer((_, response) => response.end()).listen(0, () => console.error('ready'))`;
const WRITE = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ name: 'Central', comments: 'Left of the door' }),
} as const;

type Server = { readonly url: string; readonly child: ChildProcess };
type Asked = Partial<Pick<autocannon.Request, 'method' | 'path' | 'headers' | 'body'>>;

const { values } = parseArgs({
  options: {
    records: { type: 'string', multiple: true, default: ['20', '10000'] },
    rounds: { type: 'string', default: '7' },
    amount: { type: 'string', default: '4000' },
  },
});
const rounds = Number(values.rounds);
const amount = Number(values.amount);

await timeReady();
for (const records of values.records.map(Number)) await compare(records);

/** From the start of the process until it says that it can be asked. */
async function timeReady(): Promise<void> {
  const times = { mock: [] as number[], bare: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    times.mock.push(await readyAfter([CLI, 'mock', '--port', '0'], / on http:/));
    times.bare.push(await readyAfter(['-e', BARE], /ready/));
  }
  const [mock, bare] = [median(times.mock), median(times.bare)];
  print(
    `ready            ${mock.toFixed(0)} ms, bare ${bare.toFixed(0)} ms, ratio ${(mock / bare).toFixed(1)}`,
  );
}

async function readyAfter(args: readonly string[], said: RegExp): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const text of child.stderr) if (said.test(String(text))) break;
  const taken = performance.now() - started;
  child.kill();
  await once(child, 'close');
  return taken;
}

async function compare(records: number): Promise<void> {
  const mock = await start('mock', records);
  const bare = await start('bare', records);
  const atStart = await memoryOf(mock);
  try {
    print(`${records} records`);
    for (const [name, ask] of rowsFor(records)) {
      const ratios: number[] = [];
      // The first round warms up.
      for (let round = 0; round <= rounds; round++) {
        const ratio = (await rate(mock, ask(round))) / (await rate(bare, ask(round)));
        if (round > 0) ratios.push(ratio);
      }
      const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
      print(`  ${name.padEnd(14)} ${median(ratios).toFixed(2)} of bare (${least} to ${most})`);
    }
    print(`  memory         ${atStart} MiB at the start, ${await memoryOf(mock)} after it`);
  } finally {
    mock.child.kill();
    bare.child.kill();
  }
}

/** What is asked for in each row, by round. A delete takes a record that a create made, each of them once. */
function rowsFor(records: number): [name: string, ask: (round: number) => () => Asked][] {
  const same = (asked: Asked) => () => () => asked;
  const made = records + 1;
  return [
    ['retrieve', same({ method: 'GET', path: `${PATH}/7` })],
    ['list of 20', same({ method: 'GET', path: `${PATH}?limit=20` })],
    ['create', same({ ...WRITE, path: PATH })],
    ['update', same({ ...WRITE, path: `${PATH}/7` })],
    [
      'delete',
      (round) => {
        let next = made + round * amount;
        return () => ({ method: 'DELETE', path: `${PATH}/${next++}` });
      },
    ],
  ];
}

/** Requests a second up to the last answer: autocannon itself ends with a full second. Throws where one is refused. */
async function rate({ url }: Server, ask: () => Asked): Promise<number> {
  const requests = [{ setupRequest: (request: autocannon.Request) => ({ ...request, ...ask() }) }];
  const started = performance.now();
  let last = started;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options = { url, connections: CONNECTIONS, amount, requests };
    const run = autocannon(options, (error, all) => (error ? reject(error) : resolve(all)));
    run.on('response', () => {
      last = performance.now();
    });
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} requests were refused`);
  return amount / ((last - started) / 1000);
}

async function start(kind: 'mock' | 'bare', records: number): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'mock-server.ts'), [kind, String(records)]);
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return { url, child };
}

async function memoryOf({ child }: Server): Promise<string> {
  child.send('memory');
  const [{ rss }] = (await once(child, 'message')) as [{ rss: number }];
  return (rss / 1024 / 1024).toFixed(0);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
