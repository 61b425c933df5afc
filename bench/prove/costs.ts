import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFECTS } from '../../mock/defects/defects.ts';
import { type Cost, inSeconds } from './cost.ts';
import { requestsOf, timesOf } from './summary.ts';

/** The committed table of costs. */
const TABLE = join(import.meta.dirname, 'costs.txt');
/** Before the figures of the commit that the table is compared with. They stay as they are. */
const BAR = ' | ';

/** Returns one line for each kind of defect at all its places, in the order of their definition. */
export function renderCosts(costs: readonly Cost[]): string[] {
  const byName = new Map(costs.filter(({ isEverywhere }) => isEverywhere).map((cost) => [cost.name, cost]));
  return DEFECTS.flatMap(({ name }) => {
    const cost = byName.get(name);
    return cost ? `${name.padEnd(40)}${describeCost(cost)}` : [];
  });
}

/** `  18620 1.00   2.3 1.00`: requests, times those of a healthy run, seconds, and times those of a healthy run. */
export function describeCost(cost: Cost): string {
  const { requests, time } = cost;
  const columns = [requests, requestsOf(cost).toFixed(2), inSeconds(time), timesOf(cost).toFixed(2)];
  return columns.map((column, index) => String(column).padStart(index === 0 ? 7 : 6)).join('');
}

/** Replaces the figures in the table by those of this tree. */
export function writeCosts(lines: readonly string[]): void {
  const old = readFileSync(TABLE, 'utf8').trimEnd().split('\n');
  const nameOf = (line: string) => line.split(' ', 1)[0] ?? '';
  const before = new Map(old.map((line) => [nameOf(line), line.split(BAR)[1] ?? '']));
  const commit = execFileSync('git', ['log', '-1', '--format=%h, %cs'], { encoding: 'utf8' }).trim();
  const head = old
    .filter((line) => line.startsWith('#'))
    .map((line) => line.replace(/^(# This tree: ).*/, `$1${commit}`));
  const rows = lines.map((line) => `${line}${BAR}${before.get(nameOf(line)) ?? ''}`.trimEnd());
  writeFileSync(TABLE, `${[...head, ...rows].join('\n')}\n`);
}
