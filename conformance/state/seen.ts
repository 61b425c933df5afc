import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Exchange } from '../target/exchange.ts';
import type { Meaning } from './request-meaning.ts';

/** An answer, with what was asked. */
export type Seen = {
  readonly meaning: Meaning;
  /** `broken`: neither a yes nor a no. */
  readonly outcome: 'accepted' | 'refused' | 'broken';
  readonly status: number;
  /** The records that it shows, in wire form; undefined where it shows none in their place. */
  readonly records: readonly RecordValues[] | undefined;
  readonly exchange: Exchange | undefined;
  /** When it was asked and answered, counted in exchanges begun and ended. */
  readonly asked: number;
  readonly answered: number;
};
