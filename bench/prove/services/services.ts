import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import {
  behind,
  drawDialect,
  eachDialect,
  ZOO,
  type ZooService,
} from '../../../testing/services/services.ts';
import { DISTURBANCES } from '../../../testing/services/unstable/unstable.ts';
import { type Cost, costOf, type Measured, MOST_TIME, requestProblems } from '../cost.ts';
import { requestsOf, worstOf } from '../summary.ts';
import { drawSample } from '../trials.ts';
import { type DefectVerdict, measureHealthy, tryDefect } from './defects.ts';
import { profileOf, tryHealthy, tryLearned } from './healthy.ts';
import { createKit, type Kit } from './kit.ts';

export type ZooOptions = {
  /** Tries each service of the zoo, healthy and with its defects. */
  readonly services?: boolean;
  /** Only this defect. */
  readonly defect?: string | undefined;
  /** The number of random defects of each service. */
  readonly sample?: number | undefined;
  readonly seed: number;
  /** The number of random dialects of the plain service to try in addition. */
  readonly dialects?: number;
  /** Also tries the plain service with one manner at a time. */
  readonly each?: boolean;
  /** Each of the zoo behind each unstable proxy too. */
  readonly unstable?: boolean;
  /** Only these models of healthy services, separated by commas. */
  readonly models?: string | undefined;
  /** Takes each line of progress. */
  readonly say: (line: string) => void;
};

/** The result for one service. */
export type ZooRow = {
  readonly name: string;
  readonly healthy: readonly string[];
  readonly cases: number;
  readonly defects: readonly DefectVerdict[];
  /** Of the runs with a defect. */
  readonly costs: readonly Cost[];
};

/** Holds the kit against the services of the zoo, healthy and with one defect after the other. */
export async function proveServices(options: ZooOptions): Promise<readonly ZooRow[]> {
  const kit = createKit();
  const rows: ZooRow[] = [];
  const note = (row: ZooRow) => {
    rows.push(row);
    options.say(describeRow(row));
    for (const line of row.healthy) options.say(line);
  };
  const only = moreOf(options);
  const tryAlone = async (service: ZooService): Promise<ZooRow> => {
    const { problems, cases } = await tryHealthy(kit, service, { ...only, times: 1 });
    return { name: service.name, healthy: problems, cases, defects: [], costs: [] };
  };
  try {
    const { dialects = 0, each = false, services, unstable, seed } = options;
    if (services) for (const service of ZOO) note(await proveService(kit, service, options));
    // Only healthy ones, because their defects would be the same.
    if (dialects === 1) {
      const dialect = drawDialect(seed);
      const row = await tryAlone(dialect);
      note({ ...row, healthy: [...row.healthy, ...(await tryLearned(kit, dialect))] });
    } else {
      const waiting = Array.from({ length: dialects }, (_, more) => seed + more);
      const tryNext = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
          note(await tryDialect({ seed: next, models: options.models }));
      };
      await Promise.all(Array.from({ length: availableParallelism() }, tryNext));
    }
    if (each) for (const service of eachDialect()) note(await tryAlone(service));
    if (unstable)
      for (const disturbance of DISTURBANCES)
        for (const service of ZOO) note(await tryAlone(behind([disturbance], service)));
    return rows;
  } finally {
    kit.close();
  }
}

/** Tries a dialect in another process, because each run of the command changes the directory of its process. */
async function tryDialect(options: Pick<ZooOptions, 'models' | 'seed'>): Promise<ZooRow> {
  const child = fork(import.meta.filename, [JSON.stringify(options)]);
  const [row] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() =>
      Promise.reject(new Error(`the trial of the dialect ${options.seed} ended`)),
    ),
  ]);
  return row;
}

function moreOf({ models }: ZooOptions): { readonly more?: readonly string[] } {
  return models === undefined ? {} : { more: ['--models', models] };
}

async function proveService(kit: Kit, service: ZooService, options: ZooOptions): Promise<ZooRow> {
  const { problems, cases } = await tryHealthy(kit, service, moreOf(options));
  const wanted = service.defects.filter(
    ({ name }) => options.defect === undefined || name === options.defect,
  );
  const drawn = options.sample === undefined ? wanted : drawSample(wanted, options.sample, options.seed);
  const defects: DefectVerdict[] = [];
  const costs: Cost[] = [];
  const runs = { kit, service, profile: kit.file(profileOf(service.name)) };
  const healthy = new Map<string, Measured>();
  for (const defect of drawn) {
    const verdict = await tryDefect(runs, defect);
    defects.push(verdict);
    const usual = healthy.get(defect.models.join()) ?? (await measureHealthy(runs, defect.models));
    healthy.set(defect.models.join(), usual);
    costs.push(costOf(verdict.name, verdict, usual));
    if (!verdict.caught) options.say(`survived ${verdict.name}: ${verdict.instead}`);
  }
  return { name: service.name, healthy: problems, cases, defects, costs };
}

/** `fastify      healthy in 32052 cases   defects: 120 of 121 caught, at most 1.52 (fastify a) times the requests, 1.1 times the time` */
export function describeRow({ cases, costs, defects, healthy, name }: ZooRow): string {
  const caught = defects.filter((verdict) => verdict.caught).length;
  const state =
    healthy.length === 0 ? `healthy in ${cases} cases` : `${healthy.length} false alarms in ${cases} cases`;
  if (defects.length === 0) return `${name.padEnd(12)} ${state}`;
  const cost = `at most ${worstOf(costs, requestsOf)} times the requests, ${timesOfAll(costs).toFixed(1)} times the time`;
  return `${name.padEnd(12)} ${state.padEnd(34)} defects: ${caught} of ${defects.length} caught, ${cost}`;
}

/** Returns one line for each mistake of the kit. */
export function zooProblems(rows: readonly ZooRow[]): string[] {
  return rows.flatMap(({ costs, defects, healthy, name }) => [
    ...healthy,
    ...defects.filter(({ caught }) => !caught).map(({ instead, name }) => `survived ${name}: ${instead}`),
    ...costs.flatMap(requestProblems),
    ...(timesOfAll(costs) > MOST_TIME
      ? [`the defects of ${name} take ${timesOfAll(costs).toFixed(1)} times the time of healthy runs`]
      : []),
  ]);
}

/** How many times the time of the healthy runs all runs together take. */
function timesOfAll(costs: readonly Cost[]): number {
  const sum = (of: (cost: Cost) => number) => costs.reduce((total, cost) => total + of(cost), 0);
  return costs.length === 0 ? 1 : sum(({ time }) => time) / sum(({ healthyTime }) => healthyTime);
}

// The process of one dialect sends its row to the parent.
if (import.meta.main) {
  const tried = JSON.parse(process.argv[2] ?? '{}');
  const [row] = await proveServices({ ...tried, dialects: 1, say: () => {} });
  process.send?.(row);
}
