import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import { profilesToProve } from '../../testing/profile/profile-cover.ts';
import { listMismatches } from './mismatches.ts';
import { createPool, type Pool } from './pool.ts';
import { type ProveOptions, readOptions } from './prove-options.ts';
import type { Job } from './prove-worker.ts';
import { describeEnds, proveHostile } from './services/hostile.ts';
import { describeKilled, proveKilled } from './services/kill.ts';
import { createKit } from './services/kit.ts';
import { describeRow, proveServices, zooProblems } from './services/services.ts';
import { tryTogether } from './services/together.ts';
import {
  describeCosts,
  describeDefects,
  describeMismatches,
  describeProfiles,
  describeRules,
  rulesNeverSeen,
} from './summary.ts';
import { createTally, type Tally } from './tally.ts';
import { drawKinds, drawNumbers, drawTrials, listTrials, type PlacedOnce } from './trials.ts';

const MOST_PROBLEMS = 200;
/** The trials of each kind of defect about a rule that the sample has not seen to fail. */
const TRIALS_OF_KIND = 20;
/** Seconds that a run on hostile answers may take. */
const HOSTILE_TIME = 6;
/** The sample under each profile other than the default one, which has all defects; smaller with `--sample`. */
const LOT = { defects: 100, oneIn: 1, learnedOneIn: 1 };
const LOT_OF_SAMPLE = { defects: 12, oneIn: 7, learnedOneIn: 14 };
/** Runs whose cost is measured with `--sample`; otherwise one for each kind of defect. */
const COSTS_OF_SAMPLE = 5;
/** With `--sample`, each nth wrong supposition and each nth profile is tried. */
const SUPPOSITIONS_OF_SAMPLE = 30;
const PROFILES_OF_SAMPLE = 8;

try {
  const options = readOptions();
  process.exitCode = (await choose(options)(options)) ? 0 : 1;
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  if (!(error instanceof UsageError) && !code?.startsWith('ERR_PARSE_ARGS')) throw error;
  say(message);
  process.exitCode = 2;
}

async function prove(options: ProveOptions): Promise<boolean> {
  const catalogue = loadCatalogue();
  const contract = { catalogue, references: loadReferences(catalogue), profile: DEFAULT_PROFILE };
  const trials = listTrials(contract, options.only);
  const { sample = trials.length, seed } = options;
  const drawn = drawTrials(trials, sample, seed);
  const pool = createPool(options.only === undefined ? {} : { only: options.only });
  const tally = createTally();
  const part = (jobs: readonly Job[], what: string) => runPart(pool, jobs, tally.note, what);
  try {
    const defects = (numbers: readonly number[]) =>
      jobsOf('defects', numbers, 40).map((job) => ({ ...job, seeds: options.seeds }));
    let seconds = await part(defects(drawn), 'defects');
    const whole = options.only === undefined;
    const left = whole ? trialsOf(rulesNeverSeen(tally)) : [];
    if (left.length > 0) seconds += await part(defects(left), 'defects of rules not seen yet');
    print(describeDefects(tally, trials.length * (options.seeds ?? 1), seconds));
    const unseen = whole ? rulesNeverSeen(tally) : [];
    if (whole) {
      print(describeRules(unseen));
      const isSample = options.sample !== undefined;
      const all = listMismatches(catalogue).length;
      const supposed = drawNumbers(all, isSample ? all / SUPPOSITIONS_OF_SAMPLE : all, seed);
      const seconds = await part(jobsOf('mismatches', supposed, 8), 'settings');
      print(describeMismatches(tally, all, seconds));
      const lot = isSample ? LOT_OF_SAMPLE : LOT;
      const { length } = profilesToProve(catalogue);
      const numbers = drawNumbers(length, isSample ? length / PROFILES_OF_SAMPLE : length, seed);
      const profiles = numbers.map((number): Job => {
        return { kind: 'profile', number, lot: { ...lot, seed: seed + number } };
      });
      print(describeProfiles(tally, await part(profiles, 'profiles')));
      await measureCosts(pool, tally, trials, options);
    }
    return printProblems([...tally.problems(), ...unseen.map((id) => `no defect makes ${id} fail`)]);
  } finally {
    await pool.close();
  }

  /** The first trials of each kind of defect about some rules that were not drawn. */
  function trialsOf(rules: readonly string[]): number[] {
    const known = new Set(drawn);
    const isAbout = ({ rules: own }: PlacedOnce['defect']) => own.some((rule) => rules.includes(rule));
    const numbers = trials.flatMap(({ defect }, number) =>
      !known.has(number) && isAbout(defect) ? number : [],
    );
    const kinds = Map.groupBy(numbers, (number) => trials[number]?.defect.name);
    return [...kinds.values()].flatMap((ofKind) => ofKind.slice(0, TRIALS_OF_KIND));
  }
}

/** Measures the runs of all kinds of defects, or of a sample, each at one place. */
async function measureCosts(
  pool: Pool,
  tally: Tally,
  trials: readonly PlacedOnce[],
  { sample, seed }: ProveOptions,
): Promise<void> {
  const isSample = sample !== undefined;
  const names = [...new Set(trials.map(({ defect }) => defect.name))];
  const kinds = drawKinds(trials, isSample ? COSTS_OF_SAMPLE : names.length, seed);
  const numbers = kinds.map((one) => trials.indexOf(one));
  const seconds = await runPart(pool, jobsOf('costs', numbers, 8), tally.note, 'costs');
  print(describeCosts(tally, seconds));
}

function choose({ hostile, kill, together, zoo }: ProveOptions) {
  if (hostile !== undefined || kill !== undefined) return proveEnds;
  if (together !== undefined) return proveTogether;
  return zoo ? proveZoo : prove;
}

async function proveTogether({ models, together = 0 }: ProveOptions): Promise<boolean> {
  const kit = createKit();
  try {
    const problems = await tryTogether(kit, together, models === undefined ? [] : ['--models', models]);
    print(`${together} runs at once, alone and next to a writer: ${problems.length} misjudge`);
    return printProblems(problems);
  } finally {
    kit.close();
  }
}

/** Proves how the command ends on hostile responses, and that a killed run can be cleaned up. */
async function proveEnds({ hostile, kill, models, seed }: ProveOptions): Promise<boolean> {
  const kit = createKit();
  const only = models === undefined ? {} : { models };
  try {
    const killed =
      kill === undefined ? [] : await proveKilled(kit, { ...only, times: kill, seed, say: print });
    if (kill !== undefined) print(describeKilled(killed));
    const options = { ...only, mixed: hostile ?? 0, seed, maxTime: HOSTILE_TIME, say: print };
    const ended = hostile === undefined ? [] : await proveHostile(kit, options);
    if (hostile !== undefined) print(describeEnds(ended));
    return [...killed, ...ended].every(({ problems }) => problems.length === 0);
  } finally {
    kit.close();
  }
}

/** Holds the suite against services that share no code with it. */
async function proveZoo(options: ProveOptions): Promise<boolean> {
  const rows = await proveServices({ ...options, defect: options.only, say });
  for (const row of rows) print(describeRow(row));
  return printProblems(zooProblems(rows));
}

/** Prints the first problems, and returns whether there are none. */
function printProblems(problems: readonly string[]): boolean {
  for (const line of problems.slice(0, MOST_PROBLEMS)) print(line);
  if (problems.length > MOST_PROBLEMS) print(`… and ${problems.length - MOST_PROBLEMS} more`);
  return problems.length === 0;
}

/** Splits numbers into jobs of this size. */
function jobsOf(kind: 'costs' | 'defects' | 'mismatches', numbers: readonly number[], size: number): Job[] {
  return Array.from({ length: Math.ceil(numbers.length / size) }, (_, index) => ({
    kind,
    numbers: numbers.slice(index * size, (index + 1) * size),
  }));
}

/** Runs jobs with progress on standard error; gives the seconds it took. */
async function runPart(pool: Pool, jobs: readonly Job[], note: Tally['note'], what: string): Promise<number> {
  const started = performance.now();
  let done = 0;
  let shown = 0;
  await pool.run(jobs, (result) => {
    note(result);
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
