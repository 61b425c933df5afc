/** A worker of the proof. It tries items, which are numbers in lists that both sides make alike. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { loadContract } from '../../spec/contract.ts';
import { profilesToProve } from '../../testing/profile/profile-cover.ts';
import { createTrial, type DefectVerdict } from './defect-trial.ts';
import { createMismatchTrial, listMismatches, type MismatchVerdict, nameOfMismatch } from './mismatches.ts';
import { type Lot, type ProfileVerdict, tryProfile } from './profile-trial.ts';
import { listTrials } from './trials.ts';

/** The result of one item of each kind. */
export type FoundByKind = {
  readonly defects: DefectVerdict;
  readonly settings: readonly [name: string, verdict: MismatchVerdict];
  readonly profiles: ProfileVerdict & { readonly number: number };
};
export type JobKind = keyof FoundByKind;

/** The result of an item, or the error that ended its trial. */
export type Done<Kind extends JobKind = JobKind> = {
  readonly found?: FoundByKind[Kind];
  readonly broken?: string;
};

type Job = { readonly kind: JobKind; readonly number: number };

/** The samples under a profile; another seed for each. */
const { lot, only } = workerData as { readonly lot: Lot; readonly only?: string };
const contract = loadContract();
const fixtures = loadFixtures('demo');
const trials = listTrials(contract, only);
const mismatches = listMismatches(contract.catalogue);
const profiles = profilesToProve(contract.catalogue);
const trial = createTrial(contract, fixtures);
const tryMismatch = createMismatchTrial(contract, fixtures);

const TRY: { readonly [Kind in JobKind]: (number: number) => Promise<FoundByKind[Kind]> } = {
  defects: async (number) => {
    const { defect, place } = at(trials, number);
    return (await trial)(defect, place);
  },
  settings: async (number) => {
    const one = at(mismatches, number);
    return [nameOfMismatch(one), await tryMismatch(one)];
  },
  profiles: async (number) => {
    const profile = at(profiles, number);
    const own = { ...lot, seed: lot.seed + number };
    return { number, ...(await tryProfile({ ...contract, profile }, fixtures, own)) };
  },
};

parentPort?.on('message', async ({ kind, number }: Job) => {
  const done: Done = await TRY[kind](number).then(
    (found) => ({ found }),
    (error: Error) => ({ broken: `the proof broke: ${error.stack}` }),
  );
  parentPort?.postMessage(done);
});

function at<Item>(list: readonly Item[], number: number): Item {
  const item = list[number];
  if (item === undefined) throw new Error(`there is no item ${number} of ${list.length}`);
  return item;
}
