import type { Fixtures } from '../../fixtures/fixtures.ts';
import type { ContractDocument } from '../../generator/generate.ts';
import type { OpenApiVersion } from '../../generator/version.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import type { Profile } from '../../spec/profile/profile.ts';

/** What a consumer is tried with: some models of a contract, their document in one version, a directory of its own. */
export type Trial = {
  readonly contract: Contract;
  /** The models of the document, with the lines in them. */
  readonly models: readonly Model[];
  readonly openapi: OpenApiVersion;
  readonly document: ContractDocument;
  /** The demo records of all models. */
  readonly records: Fixtures;
  readonly directory: string;
};

/** What came of it: how much went well or wrong, and what was wrong. */
export type Outcome = { readonly count: number; readonly faults: readonly string[] };

/** A tool that others own, and how it is tried. Every trial is by effect, never by an exit code alone. */
export type Consumer = {
  readonly name: string;
  /** What is done with it, and what is counted. */
  readonly done: string;
  readonly versions: readonly OpenApiVersion[];
  /** Among the packages of every install, or light; others are tried by the whole command alone. */
  readonly isQuick: boolean;
  /** Whether it can be tried under a profile; any by default. */
  takes?(profile: Profile): boolean;
  run(trial: Trial): Promise<Outcome>;
};

/** The models of a trial as users name them. */
export function selectionOf(models: readonly Model[]): { readonly models: readonly string[] } {
  return { models: models.map(({ name }) => name) };
}
