/**
 * A worker of the proof: answers each job with what came of it. Jobs are numbers in lists that both sides make alike.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import { profilesToProve } from '../../testing/profile/profile-cover.ts';
import { type Cost, createCosts, createMeasure } from './cost.ts';
import { createTrial, type Trial, type Verdict } from './defect-trial.ts';
import { createMismatchTrial, listMismatches, type MismatchVerdict, nameOfMismatch } from './mismatches.ts';
import { type Lot, type ProfileVerdict, tryProfile } from './profile-trial.ts';
import { listTrials } from './trials.ts';

export type Job =
  | { readonly kind: 'defects'; readonly numbers: readonly number[]; readonly seeds?: number | undefined }
  | { readonly kind: 'mismatches'; readonly numbers: readonly number[] }
  | { readonly kind: 'costs'; readonly numbers: readonly number[] }
  | { readonly kind: 'profile'; readonly number: number; readonly lot: Lot };

export type Done =
  | { readonly kind: 'defects'; readonly verdicts: readonly Verdict[] }
  | { readonly kind: 'mismatches'; readonly verdicts: readonly (readonly [name: string, MismatchVerdict])[] }
  | { readonly kind: 'profile'; readonly number: number; readonly verdict: ProfileVerdict }
  | { readonly kind: 'costs'; readonly costs: readonly Cost[] }
  | { readonly kind: 'broken'; readonly reason: string };

const { only } = workerData as { only?: string };
const catalogue = loadCatalogue();
const references = loadReferences(catalogue);
const fixtures = loadFixtures('demo');
const contract = { catalogue, references, profile: DEFAULT_PROFILE };
const trials = listTrials(contract, only);
const mismatches = listMismatches(catalogue);
const profiles = profilesToProve(catalogue);
const tryMismatch = createMismatchTrial({ catalogue, references }, fixtures);
let trial: Promise<Trial> | undefined;
let costs: ReturnType<typeof createCosts> | undefined;

parentPort?.on('message', async (job: Job) => {
  const done = await perform(job).catch((error: Error): Done => {
    return { kind: 'broken', reason: error.stack ?? error.message };
  });
  parentPort?.postMessage(done);
});

async function perform(job: Job): Promise<Done> {
  switch (job.kind) {
    case 'defects': {
      trial ??= createTrial(contract, fixtures);
      const tryOne = await trial;
      const verdicts: Verdict[] = [];
      for (const { defect, place } of job.numbers.flatMap((number) => trials[number] ?? []))
        for (const seed of seedsOf(job.seeds)) verdicts.push(await tryOne(defect, place, seed));
      return { kind: 'defects', verdicts };
    }
    case 'costs': {
      costs ??= createCosts(await createMeasure(contract, fixtures));
      const found: Cost[] = [];
      for (const one of job.numbers.flatMap((number) => trials[number] ?? [])) found.push(await costs(one));
      return { kind: 'costs', costs: found };
    }
    case 'mismatches': {
      const verdicts: [string, MismatchVerdict][] = [];
      for (const one of job.numbers.flatMap((number) => mismatches[number] ?? []))
        verdicts.push([nameOfMismatch(one), await tryMismatch(one)]);
      return { kind: 'mismatches', verdicts };
    }
    case 'profile': {
      const profile = profiles[job.number];
      if (!profile) throw new Error(`there is no profile ${job.number}`);
      return {
        kind: 'profile',
        number: job.number,
        verdict: await tryProfile({ ...contract, profile }, fixtures, job.lot),
      };
    }
  }
}

/** The seeds to try; without a number, only the usual one. */
function seedsOf(seeds: number | undefined): readonly (number | undefined)[] {
  return seeds === undefined ? [undefined] : Array.from({ length: seeds }, (_, index) => index + 1);
}
