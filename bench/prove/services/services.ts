import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Defect } from '../../../testing/services/defects/defect.ts';
import { opened } from '../../../testing/services/http-server.ts';
import {
  behind,
  drawDialect,
  eachDialect,
  ZOO,
  type ZooService,
} from '../../../testing/services/services.ts';
import { DISTURBANCES } from '../../../testing/services/unstable/unstable.ts';
import { type Cost, costOf, type Measured, MOST_TIME, ownTime, requestProblems } from '../cost.ts';
import { requestsOf, worstOf } from '../summary.ts';
import { drawSample } from '../trials.ts';
import { profileOf, tryHealthy, tryLearned } from './healthy.ts';
import { createKit, describeSaid, type Kit, type Said } from './kit.ts';

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

/** The verdict of the kit on one defect. */
type DefectVerdict = {
  /** `fastify text-cut-at-50` */
  readonly name: string;
  readonly caught: boolean;
  /** Other failures that the kit reported. */
  readonly instead: string;
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
  using kit = createKit();
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
  const healthy = new Map<string, Measured>();
  for (const defect of drawn) {
    const models = defect.models.join();
    const { cost, said } = await checkModels(kit, service, models, defect);
    const verdict = judge(`${service.name} ${defect.name}`, defect, said);
    defects.push(verdict);
    const usual = healthy.get(models) ?? (await checkModels(kit, service, models)).cost;
    healthy.set(models, usual);
    costs.push(costOf(verdict.name, cost, usual));
    if (!verdict.caught) options.say(`survived ${verdict.name}: ${verdict.instead}`);
  }
  return { name: service.name, healthy: problems, cases, defects, costs };
}

/** Checks models under the profile of the healthy service. */
async function checkModels(
  kit: Kit,
  { args = [], name, start }: ZooService,
  models: string,
  defect?: Defect,
) {
  await using started = await opened(start(defect && { defect }));
  const before = ownTime();
  const words = [...args, '--profile', kit.file(profileOf(name)), '--models', models];
  const said = await kit.check(started.url, words);
  return { said, cost: { requests: said.requests, time: ownTime() - before } };
}

function judge(name: string, { rules }: Defect, said: Said): DefectVerdict {
  const failed = said.cases.filter(({ outcome }) => outcome === 'fail');
  const caught =
    said.code === 1 && failed.some(({ level, rule }) => level !== 'advice' && rules.includes(rule));
  const advice = failed.filter(({ level }) => level === 'advice').map(({ id }) => id);
  const hints = advice.length > 0 ? ` (advice: ${advice.slice(0, 3).join(', ')})` : '';
  return { name, caught, instead: caught ? '' : describeSaid(said) + hints };
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
