/**
 * Compares the speed of the mock with that of another checkout, such as an earlier commit: the processor time of the
 * server per request, in turn over sockets, with journal and CORS on. On a busy machine, processor time varies less than
 * requests per second.
 *
 *   git worktree add /tmp/before COMMIT && (cd /tmp/before && npm ci)
 *   node bench/speed/against.ts /tmp/before [--rounds 21] [--amount 3000]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';

const PATH = '/api/model/warehouse';
const WRITE = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ name: 'Central', comments: 'Left of the door' }),
} as const;
const ROWS: Readonly<Record<string, Partial<autocannon.Request>>> = {
  retrieve: { method: 'GET', path: `${PATH}/7` },
  list: { method: 'GET', path: `${PATH}?limit=20` },
  create: { ...WRITE, path: PATH },
  update: { ...WRITE, path: `${PATH}/7` },
};

type Server = { readonly url: string; readonly child: ChildProcess };

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '21' }, amount: { type: 'string', default: '3000' } },
});
const [before] = positionals;
if (before === undefined) throw new Error('no checkout is given; expected its path');
const [rounds, amount] = [Number(values.rounds), Number(values.amount)];
const servers = [await start(before), await start(join(import.meta.dirname, '../..'))] as const;
try {
  for (const [name, request] of Object.entries(ROWS)) {
    const ratios: number[] = [];
    // The first round warms up; the two change who goes first.
    for (let round = 0; round <= rounds; round++) {
      const turns = round % 2 ? servers : servers.toReversed();
      const costs = new Map<Server, number>();
      for (const server of turns) costs.set(server, await cost(server, request));
      if (round > 0) ratios.push((costs.get(servers[0]) ?? 0) / (costs.get(servers[1]) ?? 0));
    }
    const sorted = ratios.toSorted((one, other) => one - other);
    const [least, most] = [sorted[0] ?? 0, sorted.at(-1) ?? 0].map((ratio) => ratio.toFixed(2));
    const median = (sorted[sorted.length >> 1] ?? 0).toFixed(2);
    process.stdout.write(`${name.padEnd(10)} ${median} times as fast as before (${least} to ${most})\n`);
  }
} finally {
  for (const { child } of servers) child.kill();
}

async function start(root: string): Promise<Server> {
  const child = fork(join(root, 'bench/speed/mock-server.ts'), ['mock', '10000'], { cwd: root });
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return { url, child };
}

/** Microseconds of processor time a request. */
async function cost({ child, url }: Server, request: Partial<autocannon.Request>): Promise<number> {
  const began = await processorTime(child);
  const { errors, non2xx } = await autocannon({ url, connections: 10, amount, requests: [request] });
  if (non2xx + errors > 0) throw new Error(`${non2xx} requests were refused`);
  return ((await processorTime(child)) - began) / amount;
}

async function processorTime(child: ChildProcess): Promise<number> {
  child.send('cost');
  const [{ cpu }] = (await once(child, 'message')) as [{ cpu?: NodeJS.CpuUsage }];
  if (!cpu) throw new Error('the checkout is too old to tell its processor time');
  return cpu.user + cpu.system;
}
