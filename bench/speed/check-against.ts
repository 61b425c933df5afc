/**
 * Compares the cost of a whole check with that of another checkout, such as an earlier commit: requests, seconds, and
 * processor time, on the same mock, in turn, with `learn` and the start, without random sequences. It runs the built
 * packages, so build both first.
 *
 *   git worktree add /tmp/before COMMIT && (cd /tmp/before && npm ci --ignore-scripts && npm run prepare)
 *   npm run prepare && node bench/speed/check-against.ts /tmp/before [--rounds 5]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { createMock } from '../../mock/mock.ts';

type Cost = { readonly requests: number; readonly seconds: number; readonly processor: number };

/** Measures the processor time of a command of any checkout. */
const TELL = "process.on('exit',()=>process.stderr.write('cpu '+JSON.stringify(process.cpuUsage())))";
const NOW = join(import.meta.dirname, '../..');

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' } },
});
const [before] = positionals;
if (before === undefined) throw new Error('no checkout is given; expected its path');
await using mock = await createMock({ fixtures: 'demo', journal: 0 });
const { url } = await mock.listen();
const costs = new Map<string, Cost[]>([
  [before, []],
  [NOW, []],
]);
// The first round warms the mock up; the two change who goes first.
for (let round = 0; round <= Number(values.rounds); round++)
  for (const root of round % 2 ? costs.keys() : [...costs.keys()].reverse()) {
    const cost = await check(root);
    if (round > 0) costs.get(root)?.push(cost);
  }
for (const [what, digits] of [
  ['requests', 0],
  ['seconds', 2],
  ['processor', 2],
] as const) {
  const [old, now] = [before, NOW].map((root) => median((costs.get(root) ?? []).map((cost) => cost[what])));
  if (old === undefined || now === undefined) continue;
  process.stdout.write(
    `${what.padEnd(10)} ${old.toFixed(digits)} before, ${now.toFixed(digits)} now: ${(now / old).toFixed(2)} times\n`,
  );
}

async function check(root: string): Promise<Cost> {
  await mock.reset();
  const explore = root === NOW ? ['--explore', '0'] : [];
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(TELL)}`,
      join(root, 'dist/cli.js'),
      'check',
      url,
      ...explore,
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [[code], output, told] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  const seconds = (performance.now() - started) / 1000;
  if (code !== 0) throw new Error(`check of ${root} ended with ${code}:\n${output}${told}`);
  const { user, system } = JSON.parse(/cpu (\{.*?\})/.exec(told)?.[1] ?? '{}');
  return { requests: Number(/(\d+) requests/.exec(output)?.[1]), seconds, processor: (user + system) / 1e6 };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN;
}
