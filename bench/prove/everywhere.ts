import { DEFECTS } from '../../mock/defects/defects.ts';
import { type Cost, costOf, type Measured, timeOver } from './cost.ts';
import type { Done, Job } from './prove-worker.ts';

type Run = (jobs: readonly Job[], note: (done: Done) => void) => Promise<void>;

/** Runs on a healthy service to compare with. The middle one counts. */
const HEALTHY_RUNS = 3;

/**
 * Measures runs of all models on services that have a defect at all its places. Runs that take too long are measured
 * again, because other programs can slow a run down.
 */
export async function measureEverywhere(run: Run, names: readonly string[]): Promise<Cost[]> {
  const costs = await measureOnce(run, names);
  const slow = costs.filter((cost) => timeOver(cost) > 0).map(({ name }) => name);
  const again = slow.length === 0 ? [] : await measureOnce(run, slow);
  return costs.map((cost) => {
    const other = again.find(({ name }) => name === cost.name) ?? cost;
    return timeOver(other) < timeOver(cost) ? other : cost;
  });
}

async function measureOnce(run: Run, names: readonly string[]): Promise<Cost[]> {
  const isOnEmpty = new Map(DEFECTS.map(({ name, onEmpty = false }) => [name, onEmpty]));
  const wanted = names.map((name) => ({ name, onEmpty: isOnEmpty.get(name) ?? false }));
  const healthy = new Map<boolean, Measured[]>();
  const found = new Map<string, Measured>();
  const job = (name: string | undefined, onEmpty: boolean): Job => ({
    kind: 'cost-everywhere',
    name,
    onEmpty,
  });
  const jobs = [...new Set(wanted.map(({ onEmpty }) => onEmpty))].flatMap((onEmpty) =>
    Array.from({ length: HEALTHY_RUNS }, () => job(undefined, onEmpty)),
  );
  await run([...jobs, ...wanted.map(({ name, onEmpty }) => job(name, onEmpty))], (done) => {
    if (done.kind === 'broken') throw new Error(done.reason);
    if (done.kind !== 'cost-everywhere') return;
    if (done.name === undefined) healthy.set(done.onEmpty, [...(healthy.get(done.onEmpty) ?? []), done]);
    else found.set(done.name, done);
  });
  return wanted.flatMap(({ name, onEmpty }) => {
    const [one, usual] = [found.get(name), middleOf(healthy.get(onEmpty) ?? [])];
    return one && usual ? costOf(name, one, usual) : [];
  });
}

function middleOf(runs: readonly Measured[]): Measured | undefined {
  return runs.toSorted((one, other) => one.time - other.time)[runs.length >> 1];
}
