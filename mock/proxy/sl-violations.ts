import type { ContractViolation } from '../prism/inspection.ts';

// Where Prism cuts it too: many clients and servers take 8 KiB of headers.
const LONGEST = 8 * 1024 - 100;

/** The value of the `sl-violations` header as users know it from Prism; undefined when nothing is wrong. */
export function formatViolations(violations: readonly ContractViolation[]): string | undefined {
  if (violations.length === 0) return undefined;
  // A header is Latin-1 at most; JSON means the same with everything beyond ASCII escaped.
  const value = JSON.stringify(violations).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return value.length > LONGEST ? `Too many violations! ${value.slice(0, LONGEST)}` : value;
}
