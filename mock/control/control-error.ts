import { UsageError } from '../../spec/files/usage-error.ts';
import {
  describeViolation,
  MOST_VIOLATIONS,
  type ShownViolation,
  showViolations,
  type Violation,
} from '../engine/violation.ts';

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

  constructor(model: string, violations: readonly Violation[]) {
    const shown = violations.slice(0, MOST_VIOLATIONS).map(describeViolation).join('; ');
    super(`The ${model} is invalid: ${shown}`);
    this.violations = showViolations(violations);
  }
}
