import type { Model } from '../spec/catalogue/catalogue.ts';
import type { Contract } from '../spec/contract.ts';
import type { RecordCodec } from '../spec/wire/record-codec.ts';
import type { Components } from './components.ts';
import type { ExampleRecords } from './operations/example-records.ts';
import type { OpenApiVersion } from './version.ts';

/** What the parts of a document are made of. */
export type Sources = Contract & {
  readonly codec: RecordCodec;
  /** The shared parts of this document, which grow while it is written. */
  readonly components: Components;
  readonly records: ExampleRecords;
  readonly version: OpenApiVersion;
  /** The models whose operations stand in the document, in the order of the source. */
  readonly selected: ReadonlyMap<string, Model>;
  /** What operations are grouped by. */
  readonly tags: 'area' | 'model';
};
