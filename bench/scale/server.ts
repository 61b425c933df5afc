import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createMock } from '../../mock/mock.ts';
import { usedHeap } from '../../testing/used-heap.ts';
import type { Contestant } from './contestants.ts';

/** A contestant that answers. */
export type Server = {
  readonly contestant: Contestant;
  readonly urls: readonly string[];
  /** For a server inside this process. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Milliseconds from the start of its (first) process to its first answer. */
  readonly ready: number;
  /** For a server inside this process: the heap of its records, in bytes. */
  readonly held?: number;
  /** MiB resident, of all its processes. */
  memory(): number;
  close(): Promise<void>;
};

/** The mock in this process, asked without a socket; its memory is not told apart from that of the benchmark. */
export async function startInProcess(contestant: Contestant, records: string): Promise<Server> {
  // The first mock also loads the modules.
  await (await createMock({ fixtures: new Map() })).close();
  const before = usedHeap();
  const started = performance.now();
  const mock = await createMock({ fixtures: records });
  const ready = performance.now() - started;
  return {
    held: usedHeap() - before,
    contestant,
    urls: ['http://127.0.0.1'],
    fetch: mock.fetch,
    ready,
    memory: () => Number.NaN,
    close: () => mock.close(),
  };
}

const LONGEST_START = 180_000;

/** Starts a server with the records of a file. Throws with its output if it ends. */
export async function startServer(
  contestant: Contestant,
  command: NonNullable<Contestant['command']>,
  { database, file, scratch }: { readonly file: string; readonly database: string; readonly scratch: string },
): Promise<Server> {
  const directory = mkdtempSync(join(scratch, 'server-'));
  const own = join(directory, 'records.json');
  // json-server writes to its file.
  cpSync(file, own);
  const children: ChildProcess[] = [];
  const urls: string[] = [];
  let ready = 0;
  for (let replica = 0; replica < (contestant.replicas ?? 1); replica++) {
    const port = await freePort();
    const started = performance.now();
    const home = join(directory, String(replica));
    mkdirSync(home);
    const [program = '', ...words] = command({ port, records: own, directory: home, database });
    // To a file, so that reading a request log takes nothing from the process that sends the requests.
    const output = join(home, 'stderr.txt');
    const child = spawn(program, words, { cwd: home, stdio: ['ignore', 'ignore', openSync(output, 'w')] });
    const url = `http://127.0.0.1:${port}`;
    while (!(await answers(url + contestant.paths.collection))) {
      if (child.exitCode !== null)
        throw new Error(`${contestant.name} ended: ${readFileSync(output, 'utf8').slice(-2000)}`);
      if (performance.now() - started > LONGEST_START) throw new Error(`${contestant.name} does not answer`);
      await wait(2);
    }
    ready ||= performance.now() - started;
    children.push(child);
    urls.push(url);
  }
  return {
    contestant,
    urls,
    ready,
    memory: () => children.reduce((sum, { pid }) => sum + residentOf(pid), 0),
    close: async () => {
      for (const child of children) {
        child.kill('SIGKILL');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(`${url}/7`, (response) => {
      response.resume();
      resolve(true);
    });
    asked.on('error', () => resolve(false));
    asked.end();
  });
}

function residentOf(pid: number | undefined): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  await new Promise((done) => probe.close(done));
  return typeof address === 'object' && address ? address.port : 0;
}
