import { createHash } from 'node:crypto';
import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { UsageError } from '../../spec/files/usage-error.ts';

/** The API that the records of a store belong to. */
export type Api = {
  readonly title: string;
  readonly version: string;
  /** Of the models, and of the names and types of their fields. */
  readonly hash: string;
};

/** The API of a catalogue. */
export type OwnApi = Api & { readonly models: ReadonlySet<string> };

export function apiOf({ models, title, version }: Catalogue): OwnApi {
  const fields = [...models.values()].map(({ fields, name }) => [
    name,
    fields.map((field) => [field.name, field.type, field.lines ?? '']),
  ]);
  const hash = createHash('sha256').update(JSON.stringify(fields)).digest('hex');
  return { title, version, hash, models: new Set(models.keys()) };
}

/**
 * Throws UsageError if a store has records of another API. A store of an earlier release does not say which; the models
 * of its records tell.
 */
export function refuseOtherApi(
  own: OwnApi,
  { models, shown, stored }: { stored: Api | undefined; models: readonly string[]; shown: string },
): void {
  const wayOut = 'Pass the catalogue of these records with --catalogue, or use other data.';
  const named = `${own.title} ${own.version}`;
  if (!stored) {
    const others = models.filter((model) => !own.models.has(model));
    if (others.length === 0) return;
    throw new UsageError(
      `${shown} contains records of models that ${named} does not have, such as ${JSON.stringify(others[0])}. ${wayOut}`,
    );
  }
  if (stored.title !== own.title || stored.version !== own.version)
    throw new UsageError(
      `${shown} contains records of ${stored.title} ${stored.version}, but the catalogue is of ${named}. ${wayOut}`,
    );
  if (stored.hash !== own.hash)
    throw new UsageError(
      `${shown} contains records of ${named} with other models or fields. ${wayOut} To keep the records, dump them with their catalogue, and load the dump into new data.`,
    );
}
