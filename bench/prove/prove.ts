import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Command } from 'commander';
import { wholeNumber } from '../../cli/options.ts';
import { DEFECTS } from '../../mock/defects/defects.ts';
import { loadContract } from '../../spec/contract.ts';
import { unexpected } from '../../spec/files/usage-error.ts';
import { profilesToProve } from '../../testing/profile/profile-cover.ts';
import { DEFECTS as FOREIGN_DEFECTS } from '../../testing/services/defects/defects.ts';
import { listMismatches } from './mismatches.ts';
import type { Done, JobKind } from './prove-worker.ts';
import { proveHostile } from './services/hostile.ts';
import { proveKilled } from './services/kill.ts';
import { createKit, type Tried } from './services/kit.ts';
import { type ForeignOptions, proveServices } from './services/services.ts';
import {
  describeDefects,
  describeMismatches,
  describeProfiles,
  describeRules,
  problemsOf,
  rulesNeverSeen,
  type Tally,
} from './summary.ts';
import { drawNumbers, drawTrials, listTrials } from './trials.ts';

const MOST_PROBLEMS = 200;
/** Seconds that a run on hostile answers may take. */
const HOSTILE_TIME = 6;
/** The sample under each profile other than the default one, which has all defects; smaller with `--sample`. */
const LOT = { defects: 100, oneIn: 1, learnedOneIn: 1 };
const LOT_OF_SAMPLE = { defects: 12, oneIn: 7, learnedOneIn: 14 };
/** With `--sample`, each nth wrong supposition and each nth profile is tried. */
const SUPPOSITIONS_OF_SAMPLE = 30;
const PROFILES_OF_SAMPLE = 8;

const NUMBER = wholeNumber(0, 999_999_999);

type ProveOptions = ForeignOptions & { readonly hostile?: number; readonly kill?: number };

const command = new Command('npm run prove --')
  .option('--only <name>', 'only this defect, or group of defects')
  .option('--sample <number>', 'draw this number of defects, and a part of the other trials', NUMBER)
  .option('--seed <number>', 'draw with this seed', NUMBER, 1)
  .option('--services', 'try the services that share no code with the kit')
  .option('--dialects <number>', 'try the plain service in this number of random dialects', NUMBER)
  .option('--each', 'try the plain service with one manner at a time')
  .option('--models <names>', 'only these models, where no defect says which')
  .option('--hostile <number>', 'try each hostile shape, and this number of runs with random ones', NUMBER)
  .option('--kill <number>', 'kill this number of runs at a random moment, then clean up', NUMBER)
  .parse();
const options = command.opts<ProveOptions>();
const isForeign = ['services', 'dialects', 'each', 'hostile', 'kill'].some((name) => name in options);
checkName(options.only);
process.exitCode = (await (isForeign ? proveForeign(options) : prove(options))) ? 0 : 1;

/** Tries the suite on mocks with one defect, under wrong settings, and under profiles. */
async function prove({ only, sample, seed }: ProveOptions): Promise<boolean> {
  const contract = loadContract();
  const trials = listTrials(contract, only);
  const isSample = sample !== undefined;
  const drawn = drawTrials(trials, sample ?? trials.length, seed);
  const lot = { ...(isSample ? LOT_OF_SAMPLE : LOT), seed };
  const script = new URL('./prove-worker.ts', import.meta.url);
  const workers = Array.from(
    { length: availableParallelism() },
    () => new Worker(script, { workerData: { only, lot } }),
  );
  const tally: Tally = { defects: [], settings: [], profiles: [] };
  const errors: string[] = [];
  try {
    print(describeDefects(tally, trials.length, await part('defects', drawn)));
    const isWhole = only === undefined && !isSample;
    const unseen = isWhole ? rulesNeverSeen(tally) : [];
    if (isWhole) print(describeRules(unseen));
    if (only === undefined) {
      const all = listMismatches(contract.catalogue).length;
      const supposed = drawNumbers(all, isSample ? all / SUPPOSITIONS_OF_SAMPLE : all, seed);
      print(describeMismatches(tally, all, await part('settings', supposed)));
      const { length } = profilesToProve(contract.catalogue);
      const numbers = drawNumbers(length, isSample ? length / PROFILES_OF_SAMPLE : length, seed);
      print(describeProfiles(tally, await part('profiles', numbers)));
    }
    const problems = [...errors, ...problemsOf(tally), ...unseen.map((id) => `no defect makes ${id} fail`)];
    for (const line of problems.slice(0, MOST_PROBLEMS)) print(line);
    if (problems.length > MOST_PROBLEMS) print(`… and ${problems.length - MOST_PROBLEMS} more`);
    return problems.length === 0;
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  /** Tries numbers, one in each worker at a time, with progress on standard error. Returns the seconds it took. */
  async function part<Kind extends JobKind>(kind: Kind, numbers: readonly number[]) {
    const started = performance.now();
    const waiting = numbers.values();
    let done = 0;
    let shown = 0;
    const work = async (worker: Worker) => {
      for (const number of waiting) {
        worker.postMessage({ kind, number });
        const [{ broken, found }]: [Done<Kind>] = (await once(worker, 'message')) as [Done<Kind>];
        if (found) tally[kind].push(found);
        if (broken !== undefined) errors.push(broken);
        const percent = Math.floor((++done / numbers.length) * 100);
        if (percent < shown + 10) continue;
        shown = percent;
        process.stderr.write(`${kind}: ${percent} %\n`);
      }
    };
    await Promise.all(workers.map(work));
    return (performance.now() - started) / 1000;
  }
}

/** Tries the kit on services that share no code with it, also on hostile ones, and cleans up after killed runs. */
async function proveForeign({ hostile, kill = 0, ...foreign }: ProveOptions): Promise<boolean> {
  using kit = createKit();
  const { models, seed } = foreign;
  const ends = { mixed: hostile ?? 0, maxTime: HOSTILE_TIME, models, seed };
  const isGood = [
    await printAll(proveServices(kit, foreign), 'healthy'),
    await printAll(
      proveKilled(kit, kill, seed),
      'killed runs left the rows of before, once they were cleaned up',
    ),
    hostile === undefined ||
      (await printAll(proveHostile(kit, ends), 'runs ended in time and listed every remaining record')),
  ];
  return isGood.every(Boolean);
}

/** Prints each trial when it is done, then the number of those without a problem. Returns whether that is all. */
async function printAll(trials: AsyncIterable<Tried>, what: string): Promise<boolean> {
  let [all, good] = [0, 0];
  for await (const { problems, text } of trials) {
    all++;
    if (problems.length === 0) good++;
    for (const line of [text, ...problems.map((problem) => `  ${problem}`)]) print(line);
  }
  if (all > 0) print(`${good} of ${all} ${what}`);
  return good === all;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Ends the process if there is no defect, and no group of defects, with this name. */
function checkName(only: string | undefined): void {
  const groups = DEFECTS.map(({ name }) => name.split('.')[0] ?? name);
  const names = (isForeign ? FOREIGN_DEFECTS : DEFECTS).map(({ name }) => name);
  const known = isForeign ? names : [...new Set(groups), ...names];
  if (only !== undefined && !known.includes(only))
    command.error(unexpected('name', only, known, 'in --only'));
}
