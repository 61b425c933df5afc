import type { Model } from '../spec/catalogue/catalogue.ts';
import type { Contract } from '../spec/contract.ts';
import type { RecordCodec } from '../spec/wire/record-codec.ts';
import type { Components } from './components.ts';
import type { createExampleRecords } from './operations/example-records.ts';
import type { OpenApiVersion } from './version.ts';

/** The input of the parts of a document. */
export type Sources = Contract & {
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
