import type { Contract } from '../spec/contract.ts';
import type { RecordCodec } from '../spec/wire/record-codec.ts';

/** What a document is made of: stated facts, assumptions, inferred links, and the codec that follows from them. */
export type Sources = Contract & {
  readonly codec: RecordCodec;
};
