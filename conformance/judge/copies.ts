import type { Field } from '../../spec/catalogue/field.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { agrees, alterationOf, OTHER } from '../assert/agreement.ts';
import type { Fact } from '../book/known-record.ts';
import type { Unjudged } from './contradiction.ts';

/**
 * The fields that may copy or count something else. The service may compute such a field, of which the source says
 * nothing. A value that is kept once has to be kept always, and one that is only altered was kept.
 */
export type Copies = {
  /** A read shows a value that may be known from a write, or the response to a write shows another one. */
  note(field: Field, fact: Pick<Fact, 'by' | 'value'>, shown: Value | undefined): void;
  /** Whether the field is seen to be computed. */
  isComputed(field: Field): boolean;
  readonly unjudged: () => readonly Unjudged[];
};

export function createCopies(): Copies {
  const shownOtherwise = new Set<Field>();
  const kept = new Set<Field>();
  const isComputed = (field: Field) => shownOtherwise.has(field) && !kept.has(field);
  return {
    note(field, { by, value }, shown) {
      // Of 0 a total may be 0, too.
      if ((by !== 'create' && by !== 'update') || !value || (shown ?? null) === null) return;
      const isKept = shown && (agrees(field, value, shown) || alterationOf(field, value, shown) !== OTHER);
      (isKept ? kept : shownOtherwise).add(field);
    },
    isComputed,
    unjudged: () =>
      [...shownOtherwise].filter(isComputed).flatMap(({ key }) =>
        ['create.keeps-field', 'update.changes-field'].map((rule) => ({
          case: `${rule}:${key}`,
          message: `the target never returns ${key} as sent; it might compute the field, which the source leaves open`,
        })),
      ),
  };
}
