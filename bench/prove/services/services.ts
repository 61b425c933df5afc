import { sideBySide } from '../../../conformance/target/exchange.ts';
import type { Defect } from '../../../testing/services/defects/defect.ts';
import { opened } from '../../../testing/services/http-server.ts';
import {
  type Dialect,
  drawDialect,
  eachDialect,
  FOREIGN_SERVICES,
  type ForeignService,
} from '../../../testing/services/services.ts';
import { drawSample } from '../trials.ts';
import { compare, describeSaid, type Kit, profileOf, type Said, type Tried } from './kit.ts';

export type ForeignOptions = {
  /** Tries each foreign service, healthy and with its defects. */
  readonly services?: boolean;
  /** Only this defect. */
  readonly only?: string | undefined;
  /** The number of random defects of each service. */
  readonly sample?: number | undefined;
  readonly seed: number;
  /** The number of random dialects of the plain service to try in addition. */
  readonly dialects?: number;
  /** Also tries the plain service with one manner at a time. */
  readonly each?: boolean;
  /** Only these models of healthy services, separated by commas. */
  readonly models?: string | undefined;
};

/** A run with a defect can send this many times the requests of a healthy run with the same selection. */
const MOST_REQUESTS = 2;
/** All runs with a defect together can take this many times the time of healthy runs. */
const MOST_TIME = 3;
/** The number of dialects to try at once. They mostly wait. */
const AT_ONCE = 4;

/** Tries the kit on services that share no code with it, healthy and with one defect after the other. */
export async function* proveServices(kit: Kit, options: ForeignOptions): AsyncGenerator<Tried> {
  const { dialects = 0, each, models, seed, services } = options;
  const more = models === undefined ? [] : ['--models', models];
  if (services) for (const service of FOREIGN_SERVICES) yield proveService(kit, service, more, options);
  // Only healthy ones, because their defects would be the same.
  if (each) for (const service of eachDialect()) yield tryHealthy(kit, service, more, 1);
  const seeds = Array.from({ length: dialects }, (_, index) => seed + index);
  while (seeds.length > 0)
    yield* await sideBySide(seeds.splice(0, AT_ONCE), (one) => tryDialect(kit, drawDialect(one), more));
}

/** Tries both ways, again and again on the same records: `check` alone, and `check` under what `learn` wrote. */
async function tryHealthy(
  kit: Kit,
  { args: told = [], name, start }: ForeignService,
  more: readonly string[],
  times: number,
): Promise<Tried> {
  await using service = await opened(start());
  const problems: string[] = [];
  let cases = 0;
  const before = service.live();
  // Parents that the service created for lines are listed, and stay.
  const listed = new Set<string>();
  const look = (what: string, said: Said) => {
    cases += said.cases.length;
    for (const [record] of said.text.matchAll(/\w+\/\d+/g)) listed.add(record);
    const left = compare(service, before, (record) => listed.has(record));
    if (said.code !== 0) left.push(describeSaid(said));
    problems.push(...left.map((line) => `${name}, ${what}: ${line}`));
  };
  const profile = profileOf(name);
  for (let time = 1; time <= times; time++) {
    look('learn', await kit.learn(service.url, profile, told));
    for (const args of [['--profile', kit.file(profile)], []]) {
      const what = `${args.length > 0 ? 'by the learned file' : 'check alone'}, run ${time}`;
      look(what, await kit.check(service.url, [...told, ...more, ...args]));
    }
  }
  const state = problems.length === 0 ? 'healthy' : `${problems.length} false alarms`;
  return { text: `${name.padEnd(12)} ${state} in ${cases} cases`, problems };
}

/** Tries a dialect as above. Then two runs at once under the file that `learn` wrote must pass. */
async function tryDialect(kit: Kit, dialect: Dialect, more: readonly string[]): Promise<Tried> {
  const healthy = await tryHealthy(kit, dialect, more, 1);
  const { args: told = [], name, runs, start } = dialect;
  await using service = await opened(start());
  const args = [...told, '--profile', kit.file(profileOf(name))];
  const said = await Promise.all(Array.from({ length: runs }, () => kit.check(service.url, args)));
  const failed = said.filter(({ code }) => code !== 0);
  return {
    ...healthy,
    problems: [...healthy.problems, ...failed.map((one) => `${name}, ${runs} at once: ${describeSaid(one)}`)],
  };
}

/** Tries a service healthy, then with each of its defects. */
async function proveService(
  kit: Kit,
  service: ForeignService,
  more: readonly string[],
  { only, sample, seed }: ForeignOptions,
): Promise<Tried> {
  const { problems: alarms, text } = await tryHealthy(kit, service, more, 2);
  const wanted = service.defects.filter(({ name }) => only === undefined || name === only);
  const drawn = sample === undefined ? wanted : drawSample(wanted, sample, seed);
  const healthy = new Map<string, Checked>();
  const survivors: string[] = [];
  const costs: { readonly name: string; readonly times: number }[] = [];
  let [time, usualTime] = [0, 0];
  for (const defect of drawn) {
    const name = `${service.name} ${defect.name}`;
    const models = defect.models.join();
    const found = await checkModels(kit, service, models, defect);
    const usual = healthy.get(models) ?? (await checkModels(kit, service, models));
    healthy.set(models, usual);
    if (!isCaught(defect, found.said)) survivors.push(`survived ${name}: ${describeSaid(found.said)}`);
    costs.push({ name, times: found.said.requests / usual.said.requests });
    time += found.time;
    usualTime += usual.time;
  }
  if (drawn.length === 0) return { text, problems: alarms };
  const [most] = costs.toSorted((one, other) => other.times - one.times);
  const times = (time / usualTime).toFixed(1);
  const dear = costs.filter((one) => one.times > MOST_REQUESTS);
  const caught = `defects: ${drawn.length - survivors.length} of ${drawn.length} caught`;
  return {
    text: `${text.padEnd(40)} ${caught}, at most ${most?.times.toFixed(2)} (${most?.name}) times the requests, ${times} times the time`,
    problems: [
      ...alarms,
      ...survivors,
      ...dear.map((one) => `${one.name} costs ${one.times.toFixed(2)} times the requests of a healthy run`),
      ...(time > MOST_TIME * usualTime ? [`the defects take ${times} times the time of healthy runs`] : []),
    ],
  };
}

type Checked = { readonly said: Said; readonly time: number };

/** Checks models under the profile of the healthy service. */
async function checkModels(
  kit: Kit,
  { args = [], name, start }: ForeignService,
  models: string,
  defect?: Defect,
): Promise<Checked> {
  await using started = await opened(start(defect && { defect }));
  const before = ownTime();
  const words = [...args, '--profile', kit.file(profileOf(name)), '--models', models];
  const said = await kit.check(started.url, words);
  return { said, time: ownTime() - before };
}

/** Returns the milliseconds that this thread worked or waited, without those in which other programs had its core. */
function ownTime(): number {
  const { system, user } = process.threadCpuUsage();
  return (user + system) / 1000 + performance.eventLoopUtilization().idle;
}

function isCaught({ rules }: Defect, { cases, code }: Said): boolean {
  const isAbout = ({ level, outcome, rule }: Said['cases'][number]) =>
    outcome === 'fail' && level !== 'advice' && rules.includes(rule);
  return code === 1 && cases.some(isAbout);
}
