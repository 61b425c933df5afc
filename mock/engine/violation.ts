import { joinPointer } from '../../spec/wire/json-pointer.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** What is wrong with one value of a request. */
export type Violation = {
  /** JSON pointer into the body, such as `/lines/0/units`; `/` and its name for a query parameter or header. */
  readonly pointer: string;
  /** In plain words, with what was expected. */
  readonly message: string;
};

/** What a client sent for a record: the canonical values that can be used, and all that is wrong with the rest. */
export type Draft = {
  readonly values: RecordValues;
  readonly violations: readonly Violation[];
  /** Pointers of what was sent and ignored. */
  readonly ignored?: readonly string[] | undefined;
};

/** The pointer of a member of what stands at another pointer. */
export function pointerTo(parent: string, name: string | number): string {
  return parent + joinPointer([name]);
}
