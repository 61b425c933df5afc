/**
 * Proves the suite: every defect at every place is caught by a rule about it, every rule can fail, a setting that is
 * supposed wrongly is noticed, and a service without a defect passes under profiles that cover every pair of options,
 * which learn finds out. Exit 1 when something stands against that.
 *
 *   node bench/prove/prove.ts [--only DEFECT] [--sample N [--seed S]]
 *   node bench/prove/prove.ts --services [--service NAME] [--only DEFECT] [--sample N] [--models NAMES]
 *     [--dialects N] [--fronts] [--seed S]
 *   node bench/prove/prove.ts --repeat N --together N
 */
import { parseArgs } from 'node:util';
import { DEFECTS } from '../../mock/defects/defects.ts';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import { profilesToProve } from '../../testing/profile/profile-cover.ts';
import { DEFECTS as ZOO_DEFECTS } from '../../testing/services/defects/defects.ts';
import { ZOO } from '../../testing/services/services.ts';
import { listSwitches } from './mismatches.ts';
import { createPool, type Pool } from './pool.ts';
import type { Job } from './prove-worker.ts';
import { createKit } from './services/kit.ts';
import { tryRepeated } from './services/repeat.ts';
import { describeRow, proveServices, zooProblems } from './services/services.ts';
import { tryTogether } from './services/together.ts';
import {
  describeDefects,
  describeProfiles,
  describeRules,
  describeSwitches,
  rulesNeverSeen,
} from './summary.ts';
import { createTally, type Tally } from './tally.ts';
import { drawSample, listTrials } from './trials.ts';

const MOST_PROBLEMS = 200;
/** Defects tried under each profile but the default one, under which all of them are. */
const DRAWN = 100;

type Options = {
  readonly only?: string;
  readonly sample?: number;
  readonly seed: number;
  /** The services of the zoo instead of the mock; all of them where none is named. */
  readonly services?: readonly string[];
  /** So many dialects of the plain service beside them. */
  readonly dialects?: number;
  /** Only these models of healthy services. */
  readonly models?: string;
  /** Each of them behind each unstable front too. */
  readonly fronts?: boolean;
  /** So many runs on one database, one after the other. */
  readonly repeat?: number;
  /** So many runs at once. */
  readonly together?: number;
};

try {
  const options = readOptions();
  process.exitCode = (await choose(options)(options)) ? 0 : 1;
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  say(error.message);
  process.exitCode = 2;
}

async function prove(options: Options): Promise<boolean> {
  const catalogue = loadCatalogue();
  const contract = { catalogue, references: loadReferences(catalogue), profile: DEFAULT_PROFILE };
  const trials = listTrials(contract, options.only);
  const numbers = trials.map((_, number) => number);
  const drawn = options.sample === undefined ? numbers : drawSample(numbers, options.sample, options.seed);
  const pool = createPool(options.only === undefined ? {} : { only: options.only });
  const tally = createTally();
  const part = (jobs: readonly Job[], what: string) => runPart(pool, jobs, tally, what);
  try {
    const defects = await part(
      jobsOf(
        'defects',
        drawn.toSorted((one, other) => one - other),
        40,
      ),
      'defects',
    );
    print(describeDefects(tally, trials.length, defects));
    const whole = options.only === undefined;
    const unseen = whole && options.sample === undefined ? rulesNeverSeen(tally) : [];
    if (whole) {
      if (options.sample === undefined) print(describeRules(unseen));
      const switches = jobsOf(
        'switches',
        listSwitches(catalogue).map((_, number) => number),
        8,
      );
      print(describeSwitches(tally, await part(switches, 'settings')));
      const profiles = profilesToProve(catalogue).map((_, number): Job => {
        return { kind: 'profile', number, lot: { size: DRAWN, seed: options.seed + number } };
      });
      print(describeProfiles(tally, await part(profiles, 'profiles')));
    }
    const problems = [...tally.problems(), ...unseen.map((id) => `no defect makes ${id} fail`)];
    for (const line of problems.slice(0, MOST_PROBLEMS)) print(line);
    if (problems.length > MOST_PROBLEMS) print(`… and ${problems.length - MOST_PROBLEMS} more`);
    return problems.length === 0;
  } finally {
    await pool.close();
  }
}

function choose({ repeat, services, together }: Options): (options: Options) => Promise<boolean> {
  if (repeat !== undefined || together !== undefined) return proveRuns;
  return services ? proveZoo : prove;
}

/** Holds what many runs say against each other. */
async function proveRuns({ repeat, together }: Options): Promise<boolean> {
  const kit = createKit();
  try {
    const repeated = repeat === undefined ? [] : (await tryRepeated(kit, repeat)).problems;
    if (repeat !== undefined)
      print(`${repeat} runs on one database: ${repeated.length} differ from the first or fail`);
    const beside = together === undefined ? [] : await tryTogether(kit, together);
    if (together !== undefined)
      print(`${together} runs at once, alone and beside a writer: ${beside.length} misjudge`);
    const problems = [...repeated, ...beside];
    for (const line of problems.slice(0, MOST_PROBLEMS)) print(line);
    return problems.length === 0;
  } finally {
    kit.close();
  }
}

/** Holds the suite against services that share no code with it. */
async function proveZoo({
  dialects = 0,
  fronts = false,
  models,
  only,
  sample,
  seed,
  services = [],
}: Options): Promise<boolean> {
  const rows = await proveServices({
    ...{ dialects, fronts, seed, say },
    ...(services.length > 0 ? { names: services } : {}),
    ...(models === undefined ? {} : { models }),
    ...(only === undefined ? {} : { defect: only }),
    ...(sample === undefined ? {} : { sample }),
  });
  for (const row of rows) print(describeRow(row));
  const problems = zooProblems(rows);
  for (const line of problems.slice(0, MOST_PROBLEMS)) print(line);
  return problems.length === 0;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      services: { type: 'boolean', default: false },
      service: { type: 'string', multiple: true, default: [] },
      dialects: { type: 'string', default: '0' },
      fronts: { type: 'boolean', default: false },
      models: { type: 'string' },
      repeat: { type: 'string' },
      together: { type: 'string' },
    },
  });
  const { only, sample, seed, service } = values;
  const zoo = values.services || service.length > 0;
  if (zoo)
    for (const name of service)
      checkName(
        '--service',
        name,
        ZOO.map((one) => one.name),
      );
  if (only !== undefined)
    checkName('--only', only, zoo ? ZOO_DEFECTS.map(({ name }) => name) : namesOfDefects());
  return {
    ...(only === undefined ? {} : { only }),
    ...(sample === undefined ? {} : { sample: wholeNumber('--sample', sample) }),
    seed: wholeNumber('--seed', seed),
    ...(zoo ? { services: service, fronts: values.fronts } : {}),
    dialects: wholeNumber('--dialects', values.dialects),
    ...(values.models === undefined ? {} : { models: values.models }),
    ...(values.repeat === undefined ? {} : { repeat: wholeNumber('--repeat', values.repeat) }),
    ...(values.together === undefined ? {} : { together: wholeNumber('--together', values.together) }),
  };
}

/** The names of the mock's defects, and of their groups. */
function namesOfDefects(): string[] {
  const names = DEFECTS.map(({ name }) => name);
  return [...new Set(names.map((name) => name.split('.')[0] ?? name)), ...names];
}

function checkName(flag: string, name: string, names: readonly string[]): void {
  if (!names.includes(name)) throw new UsageError(unexpected(flag, name, [...names]));
}

function wholeNumber(flag: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`${flag} is "${text}"; expected a whole number`);
}

/** Jobs of so many numbers each. */
function jobsOf(kind: 'defects' | 'switches', numbers: readonly number[], size: number): Job[] {
  return Array.from({ length: Math.ceil(numbers.length / size) }, (_, index) => ({
    kind,
    numbers: numbers.slice(index * size, (index + 1) * size),
  }));
}

/** Runs jobs with progress on standard error; gives the seconds it took. */
async function runPart(pool: Pool, jobs: readonly Job[], tally: Tally, what: string): Promise<number> {
  const started = performance.now();
  let done = 0;
  let shown = 0;
  await pool.run(jobs, (result) => {
    tally.note(result);
    done++;
    const percent = Math.floor((done / jobs.length) * 100);
    if (percent < shown + 10) return;
    shown = percent;
    say(`${what}: ${percent} %`);
  });
  return (performance.now() - started) / 1000;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
