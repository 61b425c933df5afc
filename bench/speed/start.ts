/**
 * Measures the start of the built command, compared in turn with the minimum that Node needs: the mock until its first
 * response with a node:http server of three lines, `--version` and `--help` with `node -e 0`. Then prints a CPU profile of
 * the start of the mock.
 *
 *   npm run bench:start -- [--rounds 15]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const CLI = join(import.meta.dirname, '../../dist/cli.js');
const BARE = `const server = require('node:http').createServer((_, response) => response.end());
server.listen(0, () => console.log('ready'));`;
const MOCK = [CLI, 'mock', '--port', '0'];

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } });
const rounds = Number(values.rounds);
const scratch = mkdtempSync(join(tmpdir(), 'record-model-start-'));
try {
  const times = new Map<string, number[]>();
  const note = (name: string, time: number) => times.set(name, [...(times.get(name) ?? []), time]);
  for (let round = -1; round < rounds; round++) {
    // Node keeps what it compiled for the next start; a first one finds nothing.
    const first = join(scratch, `cache-${round}`);
    const taken = {
      'three lines of node:http': await readyAfter(['-e', BARE]),
      'mock, first start': await readyAfter(MOCK, { NODE_COMPILE_CACHE: first }),
      'mock, later starts': await readyAfter(MOCK),
      'node -e 0': await endAfter(['-e', '0']),
      '--version': await endAfter([CLI, '--version']),
      '--help': await endAfter([CLI, '--help']),
    };
    if (round >= 0) for (const [name, time] of Object.entries(taken)) note(name, time);
  }
  const of = (name: string) => median(times.get(name) ?? []);
  for (const [name, least] of [
    ['mock, first start', 'three lines of node:http'],
    ['mock, later starts', 'three lines of node:http'],
    ['--version', 'node -e 0'],
    ['--help', 'node -e 0'],
  ] as const)
    print(
      `${name.padEnd(20)} ${of(name).toFixed(0)} ms, ${(of(name) / of(least)).toFixed(1)} times ${least}, ${of(least).toFixed(0)} ms`,
    );
  print('\nwhere a start of the mock goes, in ms of a CPU profile');
  await profile();
  for (const [part, spent] of readProfile()) print(`${spent.toFixed(0).padStart(5)}  ${part}`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** From the start of the process until it says that it can be asked. */
async function readyAfter(args: readonly string[], env: Record<string, string> = {}): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  for await (const text of child.stdout) if (/ready| on http:/.test(String(text))) break;
  const taken = performance.now() - started;
  child.kill();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  return taken;
}

async function endAfter(args: readonly string[]): Promise<number> {
  const started = performance.now();
  await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'close');
  return performance.now() - started;
}

async function profile(): Promise<void> {
  const child = spawn(process.execPath, ['--cpu-prof', `--cpu-prof-dir=${scratch}`, ...MOCK], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const text of child.stderr) if (/Ctrl\+C/.test(String(text))) break;
  child.kill('SIGINT');
  await once(child, 'close');
}

type Profile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

/** Returns the time of each file of the package, with its calls into Node, the longest first. */
function readProfile(): [part: string, spent: number][] {
  const [file = ''] = globSync('*.cpuprofile', { cwd: scratch });
  const { nodes, samples, timeDeltas }: Profile = JSON.parse(readFileSync(join(scratch, file), 'utf8'));
  const frames = new Map(nodes.map(({ callFrame, id }) => [id, callFrame]));
  const parents = new Map(nodes.flatMap(({ children = [], id }) => children.map((child) => [child, id])));
  const spent = new Map<string, number>();
  for (const [index, sample] of samples.entries()) {
    const part = partOf(sample);
    spent.set(part, (spent.get(part) ?? 0) + (timeDeltas[index] ?? 0) / 1000);
  }
  return [...spent].toSorted(([, one], [, other]) => other - one).filter(([, time]) => time >= 1);

  function partOf(sample: number): string {
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const own = /\/dist\/(?:chunks\/)?(.+?)(?:-[\w-]{8})?\.js$/.exec(frames.get(id)?.url ?? '');
      if (own?.[1]) return own[1];
    }
    return frames.get(sample)?.functionName.startsWith('(')
      ? String(frames.get(sample)?.functionName)
      : 'Node';
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
