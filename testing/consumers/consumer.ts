import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import type { ContractDocument } from '../../generator/generate.ts';
import type { OpenApiVersion } from '../../generator/version.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import type { Profile } from '../../spec/profile/profile.ts';

/** The input of a trial: some models of a contract, their document in one version, and a directory. */
export type ConsumerTrial = {
  readonly contract: Contract;
  /** The models of the document, with the lines in them. */
  readonly models: readonly Model[];
  readonly openapi: OpenApiVersion;
  readonly document: ContractDocument;
  /** The demo records of all models. */
  readonly records: Fixtures;
  readonly directory: string;
};

/** The result of a trial: a count, and the errors. */
export type Outcome = { readonly count: number; readonly faults: readonly string[] };

/** A third-party tool and its trial. A trial checks effects, not only exit codes. */
export type Consumer = {
  readonly name: string;
  /** The action and the unit of the count. */
  readonly done: string;
  readonly versions: readonly OpenApiVersion[];
  /** Whether the tool is installed by default, or light. Only the complete command tries others. */
  readonly isQuick: boolean;
  /** Whether it can be tried under a profile; any by default. */
  takes?(profile: Profile): boolean;
  run(trial: ConsumerTrial): Promise<Outcome>;
};

/** The models of a trial as users name them. */
export function selectionOf(models: readonly Model[]): { readonly models: readonly string[] } {
  return { models: models.map(({ name }) => name) };
}

/** Writes the document of a trial into its directory, and returns the path. */
export function writeDocument({ directory, document }: ConsumerTrial): string {
  const file = join(directory, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  return file;
}
