import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Place } from '../files/place.ts';

/** A question the source leaves open. */
export type Question = {
  /** The section of the source that leaves it open. */
  readonly section: string;
  /** The meaning of the setting, in one sentence. */
  readonly about: string;
  /**
   * Whether a running mock can change the setting, or only the sizes in it. Requests, and records in responses, must keep
   * their form, so that a client of the document still works.
   */
  readonly live?: 'all' | 'sizes';
};

/** A question with its possible answers: the one place from which type, check, default, doc and schema come. */
export type Declaration<Value> = Question & {
  readonly default: Value;
  /** The default and the other answers: all of them for a closed set, examples for an open one. */
  readonly variants: readonly Value[];
  /** The JSON Schema (2020-12) of an answer in a file. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Takes the value of a profile file; throws UsageError with the way out. */
  read(name: string, place: Place, catalogue: Catalogue): Value;
};
