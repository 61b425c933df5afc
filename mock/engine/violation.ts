import { joinPointer } from '../../spec/wire/json-pointer.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** What is wrong with one value of a request. */
export type Violation = {
  /** JSON pointer into the body, such as `/lines/0/units`; empty for the whole, and where a parameter is wrong. */
  readonly pointer: string;
  /** The name of a query parameter or header. */
  readonly parameter?: string;
  /** In plain words, with what was expected. */
  readonly message: string;
};

/** Such as `/name is required`. */
export function describeViolation({ message, parameter, pointer }: Violation): string {
  return `${parameter ?? pointer} ${message}`;
}

/** A violation as answers show it: with the pointer or the parameter. */
export type ShownViolation =
  | { readonly pointer: string; readonly message: string }
  | { readonly parameter: string; readonly message: string };

/** More would help nobody, and a body of a megabyte can hold a hundred thousand mistakes. */
export const MOST_VIOLATIONS = 100;

/** Returns the first violations, as many as a response shows. */
export function showViolations(violations: readonly Violation[]): ShownViolation[] {
  return violations
    .slice(0, MOST_VIOLATIONS)
    .map(({ message, parameter, pointer }) =>
      parameter === undefined ? { pointer, message } : { parameter, message },
    );
}

/** What a client sent for a record: the canonical values that can be used, and all that is wrong with the rest. */
export type Draft = {
  readonly values: RecordValues;
  readonly violations: readonly Violation[];
  /** Pointers of what was sent and ignored. */
  readonly ignored?: readonly string[] | undefined;
  /** The id of the user who sent it, where it is known. */
  readonly user?: number | undefined;
};

/** The pointer of a member of what stands at another pointer. */
export function pointerTo(parent: string, name: string | number): string {
  return parent + joinPointer([name]);
}
