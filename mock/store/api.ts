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

/** Returns the API of a catalogue. */
export function apiOf({ models, title, version }: Catalogue): Api {
  const fields = [...models.values()].map(({ fields, name }) => [
    name,
    fields.map((field) => [field.name, field.type, field.lines ?? '']),
  ]);
  const hash = createHash('sha256').update(JSON.stringify(fields)).digest('hex');
  return { title, version, hash };
}

/** Throws UsageError if a store has records of another API. */
export function refuseOtherApi(
  own: Api,
  { shown, stored }: { readonly stored: Api; readonly shown: string },
): void {
  const wayOut = 'Pass the catalogue of these records with --catalogue, or use other data.';
  const named = `${own.title} ${own.version}`;
  if (stored.title !== own.title || stored.version !== own.version)
    throw new UsageError(
      `${shown} contains records of ${stored.title} ${stored.version}, but the catalogue is of ${named}. ${wayOut}`,
    );
  if (stored.hash !== own.hash)
    throw new UsageError(
      `${shown} contains records of ${named} with other models or fields. ${wayOut} To keep the records, dump them with their catalogue, and load the dump into new data.`,
    );
}
