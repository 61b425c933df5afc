import { schemaName } from '../spec/binding.ts';
import type { Model } from '../spec/catalogue/catalogue.ts';
import type { Contract } from '../spec/contract.ts';
import { profileAt } from '../spec/profile/profile.ts';
import type { RecordCodec } from '../spec/wire/record-codec.ts';
import type { Components } from './components.ts';
import type { createExampleRecords } from './operations/example-records.ts';
import type { OpenApiVersion } from './version.ts';

/** The input of the parts of a document. */
export type Sources = Contract & {
  /** The start of the names of parts that belong to one model or field, because it has exceptions. */
  readonly prefix: string;
  readonly codec: RecordCodec;
  /** The shared parts of this document, which grow while it is written. */
  readonly components: Components;
  readonly records: ReturnType<typeof createExampleRecords>;
  readonly version: OpenApiVersion;
  /** The models whose operations the document has, in the order of the source. */
  readonly selected: ReadonlyMap<string, Model>;
  /** How operations are grouped. */
  readonly tags: 'area' | 'model';
};

/** Returns the sources under the profile of a model or field. Parts that others share have another name there. */
export function sourcesAt<S extends Pick<Sources, 'prefix' | 'profile'>>(sources: S, place: string): S {
  const profile = profileAt(sources.profile, place);
  if (profile === profileAt(sources.profile, ''))
    return profile === sources.profile ? sources : { ...sources, profile, prefix: '' };
  return { ...sources, profile, prefix: place.split('.').map(schemaName).join('') };
}
