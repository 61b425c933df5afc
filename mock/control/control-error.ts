import { UsageError } from '../../spec/files/usage-error.ts';
import { type ShownViolation, showViolations, type Violation } from '../engine/violation.ts';

/** An error that the control API reports as a problem (RFC 9457) with this status. */
export class ControlError extends Error {
  readonly status: number;
  readonly more: object;

  constructor(status: number, detail: string, more: object = {}) {
    super(detail);
    this.status = status;
    this.more = more;
  }
}

/** A UsageError that the control API reports with 404. */
export class UnknownName extends UsageError {}

/** Invalid values of a record. The control API reports them with 422. */
export class InvalidRecord extends UsageError {
  override name = 'InvalidRecord';
  readonly violations: readonly ShownViolation[];

  constructor(message: string, violations: readonly Violation[]) {
    super(message);
    this.violations = showViolations(violations);
  }
}
