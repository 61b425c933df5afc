import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Command } from 'commander';
import { wholeNumber } from '../../cli/options.ts';
import { DEFECTS } from '../../mock/defects/defects.ts';
import { loadContract } from '../../spec/contract.ts';
import { unexpected } from '../../spec/files/usage-error.ts';
import { profilesToProve } from '../../testing/profile/profile-cover.ts';
import { DEFECTS as ZOO_DEFECTS } from '../../testing/services/defects/defects.ts';
import { listMismatches } from './mismatches.ts';
import type { Done, Job, JobKind } from './prove-worker.ts';
import { describeEnds, proveHostile } from './services/hostile.ts';
import { describeKilled, proveKilled } from './services/kill.ts';
import { createKit } from './services/kit.ts';
import { describeRow, proveServices, type ZooOptions, zooProblems } from './services/services.ts';
import { tryTogether } from './services/together.ts';
import {
  describeCosts,
  describeDefects,
  describeMismatches,
  describeProfiles,
  describeRules,
  problemsOf,
  rulesNeverSeen,
  type Tally,
} from './summary.ts';
import { drawKinds, drawNumbers, drawTrials, listTrials, type PlacedOnce } from './trials.ts';

const MOST_PROBLEMS = 200;
/** More services than these are printed as a number. */
const MOST_ROWS = 12;
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

const NUMBER = wholeNumber(0, 999_999_999);

type ProveOptions = Omit<ZooOptions, 'defect' | 'say'> & {
  readonly only?: string;
  readonly together?: number;
  readonly hostile?: number;
  readonly kill?: number;
};

const command = new Command('npm run prove --')
  .option('--only <name>', 'only this defect, or group of defects')
  .option('--sample <number>', 'draw this number of defects, and a part of the other trials', NUMBER)
  .option('--seed <number>', 'draw with this seed', NUMBER, 1)
  .option('--services', 'try the services that share no code with the kit')
  .option('--dialects <number>', 'try the plain service in this number of random dialects', NUMBER, 0)
  .option('--each', 'try the plain service with one manner at a time')
  .option('--unstable', 'try each service behind each unstable proxy')
  .option('--models <names>', 'only these models, where no defect says which')
  .option('--together <number>', 'try this number of concurrent runs', NUMBER)
  .option('--hostile <number>', 'try each hostile shape, and this number of runs with random ones', NUMBER)
  .option('--kill <number>', 'kill this number of runs at a random moment, then clean up', NUMBER)
  .parse();
const options = command.opts<ProveOptions>();
const { dialects, each, services, unstable } = options;
const isZoo = services || each || unstable || dialects !== 0;
checkName(options.only);
process.exitCode = (await choose(options)(options)) ? 0 : 1;

async function prove({ only, sample, seed }: ProveOptions): Promise<boolean> {
  const contract = loadContract();
  const trials = listTrials(contract, only);
  const isSample = sample !== undefined;
  const drawn = drawTrials(trials, sample ?? trials.length, seed);
  const lot = { ...(isSample ? LOT_OF_SAMPLE : LOT), seed };
  const pool = createPool(only === undefined ? {} : { only });
  const tally: Tally = { defects: [], settings: [], profiles: [], costs: [] };
  const errors: string[] = [];
  try {
    let seconds = await part('defects', drawn, 40);
    const whole = only === undefined;
    const left = whole ? trialsOf(rulesNeverSeen(tally)) : [];
    if (left.length > 0) seconds += await part('defects', left, 40, 'defects of rules not seen yet');
    print(describeDefects(tally, trials.length, seconds));
    const unseen = whole ? rulesNeverSeen(tally) : [];
    if (whole) {
      print(describeRules(unseen));
      const all = listMismatches(contract.catalogue).length;
      const supposed = drawNumbers(all, isSample ? all / SUPPOSITIONS_OF_SAMPLE : all, seed);
      print(describeMismatches(tally, all, await part('settings', supposed, 8)));
      const { length } = profilesToProve(contract.catalogue);
      const numbers = drawNumbers(length, isSample ? length / PROFILES_OF_SAMPLE : length, seed);
      print(describeProfiles(tally, await part('profiles', numbers, 1)));
      // The runs of all kinds of defects, or of a sample, each at one place.
      const names = new Set(trials.map(({ defect }) => defect.name));
      const kinds = drawKinds(trials, isSample ? COSTS_OF_SAMPLE : names.size, seed);
      const measured = kinds.map((one) => trials.indexOf(one));
      print(describeCosts(tally, await part('costs', measured, 8)));
    }
    return printProblems([
      ...errors,
      ...problemsOf(tally),
      ...unseen.map((id) => `no defect makes ${id} fail`),
    ]);
  } finally {
    await pool.close();
  }

  /** Tries numbers in jobs of this size, with progress on standard error. Returns the seconds it took. */
  async function part<One extends JobKind>(
    kind: One,
    numbers: readonly number[],
    size: number,
    what: string = kind,
  ) {
    const started = performance.now();
    const jobs = Array.from({ length: Math.ceil(numbers.length / size) }, (_, index): Job<One> => {
      return { kind, lot, numbers: numbers.slice(index * size, (index + 1) * size) };
    });
    let done = 0;
    let shown = 0;
    await pool.run(jobs, ({ broken, found }) => {
      tally[kind].push(...found);
      if (broken !== undefined) errors.push(broken);
      const percent = Math.floor((++done / jobs.length) * 100);
      if (percent < shown + 10) return;
      shown = percent;
      say(`${what}: ${percent} %`);
    });
    return (performance.now() - started) / 1000;
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

function choose({ hostile, kill, together }: ProveOptions) {
  if (hostile !== undefined || kill !== undefined) return proveEnds;
  if (together !== undefined) return proveTogether;
  return isZoo ? proveZoo : prove;
}

async function proveTogether({ models, together = 0 }: ProveOptions): Promise<boolean> {
  using kit = createKit();
  const problems = await tryTogether(kit, together, models === undefined ? [] : ['--models', models]);
  print(`${together} runs at once, alone and next to a writer: ${problems.length} wrong verdicts`);
  return printProblems(problems);
}

/** Proves how the command ends on hostile responses, and that a killed run can be cleaned up. */
async function proveEnds({ hostile, kill, models, seed }: ProveOptions): Promise<boolean> {
  using kit = createKit();
  const only = models === undefined ? {} : { models };
  const killed = kill === undefined ? [] : await proveKilled(kit, { ...only, times: kill, seed, say: print });
  if (kill !== undefined) print(describeKilled(killed));
  const options = { ...only, mixed: hostile ?? 0, seed, maxTime: HOSTILE_TIME, say: print };
  const ended = hostile === undefined ? [] : await proveHostile(kit, options);
  if (hostile !== undefined) print(describeEnds(ended));
  return [...killed, ...ended].every(({ problems }) => problems.length === 0);
}

/** Holds the suite against services that share no code with it. */
async function proveZoo({ only, ...more }: ProveOptions): Promise<boolean> {
  const rows = await proveServices({ ...more, defect: only, say });
  // Each row was said when it was done.
  if (rows.length > MOST_ROWS)
    print(`${rows.filter(({ healthy }) => healthy.length === 0).length} of ${rows.length} healthy`);
  else for (const row of rows) print(describeRow(row));
  return printProblems(zooProblems(rows));
}

/** Prints the first problems, and returns whether there are none. */
function printProblems(problems: readonly string[]): boolean {
  for (const line of problems.slice(0, MOST_PROBLEMS)) print(line);
  if (problems.length > MOST_PROBLEMS) print(`… and ${problems.length - MOST_PROBLEMS} more`);
  return problems.length === 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Workers that take jobs from a queue, one each at a time. */
function createPool(workerData: { only?: string }) {
  const script = new URL('./prove-worker.ts', import.meta.url);
  const workers = Array.from({ length: availableParallelism() }, () => new Worker(script, { workerData }));
  return {
    /** Gives what came of each job to `note`, in the order in which they are done. */
    run: async <One extends JobKind>(jobs: readonly Job<One>[], note: (done: Done<One>) => void) => {
      const waiting = [...jobs];
      await Promise.all(
        workers.map(async (worker) => {
          for (let job = waiting.shift(); job; job = waiting.shift()) {
            worker.postMessage(job);
            const [done] = await once(worker, 'message');
            note(done);
          }
        }),
      );
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

/** Ends the process if there is no defect, and no group of defects, with this name. */
function checkName(only: string | undefined): void {
  const groups = DEFECTS.map(({ name }) => name.split('.')[0] ?? name);
  const names = (isZoo ? ZOO_DEFECTS : DEFECTS).map(({ name }) => name);
  const known = isZoo ? names : [...new Set(groups), ...names];
  if (only !== undefined && !known.includes(only))
    command.error(unexpected('name', only, known, 'in --only'));
}
