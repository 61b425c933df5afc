/**
 * Proves the suite: every defect at every place is caught by a rule about it, every rule can fail, a setting that is
 * supposed wrongly is noticed, and a service without a defect passes under profiles that cover every pair of options,
 * which learn finds out. Exit 1 when something stands against that.
 *
 *   node bench/prove.ts [--only DEFECT] [--sample N [--seed S]]
 */
import { parseArgs } from 'node:util';
import { DEFECTS } from '../../mock/defects/defects.ts';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import { coverProfiles } from '../../testing/profile-cover.ts';
import { listSwitches } from './mismatches.ts';
import { createPool, type Pool } from './pool.ts';
import type { Job } from './prove-worker.ts';
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

type Options = { readonly only?: string; readonly sample?: number; readonly seed: number };

try {
  process.exitCode = (await prove(readOptions())) ? 0 : 1;
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
      const profiles = coverProfiles(catalogue).map((_, number): Job => {
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

function readOptions(): Options {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, sample: { type: 'string' }, seed: { type: 'string', default: '1' } },
  });
  const { only, sample, seed } = values;
  const names = DEFECTS.map(({ name }) => name);
  const groups = names.map((name) => name.split('.')[0] ?? name);
  if (only !== undefined && !names.includes(only) && !groups.includes(only))
    throw new UsageError(unexpected('--only', only, [...new Set(groups), ...names]));
  return {
    ...(only === undefined ? {} : { only }),
    ...(sample === undefined ? {} : { sample: wholeNumber('--sample', sample) }),
    seed: wholeNumber('--seed', seed),
  };
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
