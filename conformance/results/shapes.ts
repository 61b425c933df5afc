import type { CaseResult } from './results.ts';

/** Tells which cases did not pass for the same reason. */
export type Shapes = {
  /** The rule or the setting, with the message without names and numbers. */
  shapeOf(result: CaseResult): string;
};

/** A name or a number, because IDs differ between cases. */
const WORD = /[A-Za-z][A-Za-z0-9]*|\d+/g;

/** The cases whose names the messages may quote. */
export function createShapes(cases: readonly CaseResult[]): Shapes {
  const names = new Set(
    cases.flatMap(({ id, model, field = model }) => [model, field, ...(detailOf(id).match(WORD) ?? [])]),
  );
  return {
    shapeOf(result) {
      const { message = '', rule, setting = rule } = result;
      // The rule of a blocked case is not its cause, so only its message counts.
      const about = result.outcome === 'blocked' ? '' : setting;
      const shape = message.replaceAll(WORD, (word) => (names.has(word) || /^\d/.test(word) ? '*' : word));
      return `${about} ${shape}`;
    },
  };
}

/** Returns the part of an ID after the field, such as `0` in `values.accepted:stockOrder.status=0`. */
function detailOf(id: string): string {
  const at = id.indexOf('=');
  return at === -1 ? '' : id.slice(at + 1);
}
