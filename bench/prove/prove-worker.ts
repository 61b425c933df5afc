/**
 * A worker of the proof: tries the items of a job. They are numbers in lists that both sides make alike.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { loadContract } from '../../spec/contract.ts';
import { profilesToProve } from '../../testing/profile/profile-cover.ts';
import { type Cost, createCosts } from './cost.ts';
import { createTrial, type DefectVerdict, type Trial } from './defect-trial.ts';
import { createMismatchTrial, listMismatches, type MismatchVerdict, nameOfMismatch } from './mismatches.ts';
import { type Lot, type ProfileVerdict, tryProfile } from './profile-trial.ts';
import { listTrials } from './trials.ts';

/** The result of one item of each kind. */
export type FoundByKind = {
  readonly defects: DefectVerdict;
  readonly settings: readonly [name: string, verdict: MismatchVerdict];
  readonly profiles: ProfileVerdict & { readonly number: number };
  readonly costs: Cost;
};
export type JobKind = keyof FoundByKind;

export type Job<One extends JobKind = JobKind> = {
  readonly kind: One;
  readonly numbers: readonly number[];
  /** The samples under a profile; another seed for each. */
  readonly lot: Lot;
};

/** The results of a job, and the error that ended it. */
export type Done<One extends JobKind = JobKind> = {
  readonly found: readonly FoundByKind[One][];
  readonly broken?: string;
};

const { only } = workerData as { only?: string };
const contract = loadContract();
const fixtures = loadFixtures('demo');
const trials = listTrials(contract, only);
const mismatches = listMismatches(contract.catalogue);
const profiles = profilesToProve(contract.catalogue);
const tryMismatch = createMismatchTrial(contract, fixtures);
let trial: Promise<Trial> | undefined;
let costs: Awaited<ReturnType<typeof createCosts>> | undefined;

const TRY: { readonly [One in JobKind]: (number: number, job: Job) => Promise<FoundByKind[One]> } = {
  defects: async (number) => {
    const { defect, place } = at(trials, number);
    trial ??= createTrial(contract, fixtures);
    return (await trial)(defect, place);
  },
  settings: async (number) => {
    const one = at(mismatches, number);
    return [nameOfMismatch(one), await tryMismatch(one)];
  },
  profiles: async (number, { lot }) => {
    const profile = at(profiles, number);
    const own = { ...lot, seed: lot.seed + number };
    return { number, ...(await tryProfile({ ...contract, profile }, fixtures, own)) };
  },
  costs: async (number) => {
    costs ??= await createCosts(contract, fixtures);
    return costs(at(trials, number));
  },
};

parentPort?.on('message', async (job: Job) => parentPort?.postMessage(await perform(job)));

async function perform(job: Job): Promise<Done> {
  const found: FoundByKind[JobKind][] = [];
  try {
    for (const number of job.numbers) found.push(await TRY[job.kind](number, job));
    return { found };
  } catch (error) {
    return { found, broken: `the proof broke: ${(error as Error).stack}` };
  }
}

function at<Item>(list: readonly Item[], number: number): Item {
  const item = list[number];
  if (item === undefined) throw new Error(`there is no item ${number} of ${list.length}`);
  return item;
}
