import { joinPointer } from '../../spec/wire/json-pointer.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** A mistake in one value of a request. */
export type Violation = {
  /** JSON pointer into the body, such as `/lines/0/units`; empty for the whole, and where a parameter is wrong. */
  readonly pointer: string;
  /** The name of a query parameter or header. */
  readonly parameter?: string;
  /** A sentence that says what was expected. */
  readonly message: string;
};

/** Such as `/name is required`. */
export function describeViolation({ message, parameter, pointer }: Violation): string {
  return `${parameter ?? pointer} ${message}`;
}

/** A violation as responses show it. One in a forwarded exchange has its location. */
export type ShownViolation =
  | { readonly pointer: string; readonly message: string }
  | { readonly parameter: string; readonly message: string }
  | { readonly location: string; readonly message: string };

/** The most that a response shows. A body of a megabyte can have a hundred thousand mistakes. */
export const MOST_VIOLATIONS = 100;

/** Returns the first violations, at most `MOST_VIOLATIONS`. */
export function showViolations(violations: readonly Violation[]): ShownViolation[] {
  return violations
    .slice(0, MOST_VIOLATIONS)
    .map(({ message, parameter, pointer }) =>
      parameter === undefined ? { pointer, message } : { parameter, message },
    );
}

/** The values that a client sent for a record: the valid ones in canonical form, and the violations of the others. */
export type Draft = {
  readonly values: RecordValues;
  readonly violations: readonly Violation[];
  /** Whether an update keeps the fields that it does not name, under any profile. */
  readonly isPartial?: boolean;
  /** Pointers of the values that the mock ignores. */
  readonly ignored?: readonly string[] | undefined;
  /** The id of the user who sent it, where it is known. */
  readonly user?: number | undefined;
};

/** Returns the pointer of a member. */
export function pointerTo(parent: string, name: string | number): string {
  return parent + joinPointer([name]);
}
