import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Decoration } from '../decoration.ts';
import { type Draft, pointerTo, type Violation } from '../engine/violation.ts';
import type { ReadDraft } from '../operations/body.ts';
import type { FieldPlace } from './defect.ts';

type Written = 'create' | 'update';

/** Replaces how the bodies of one operation of a model are read; `sent` is the body in wire form. */
export function onDraft(
  model: Model,
  operation: Written,
  change: (draft: Draft, sent: RecordValues) => Draft,
): Decoration {
  return {
    readDraft: (inner: ReadDraft) => (asked, written, sent) => {
      const draft = inner(asked, written, sent);
      return asked.name === model.name && written === operation ? change(draft, sent) : draft;
    },
  };
}

/** The same for the bodies whose field is as wanted. */
export function onField(
  operation: Written,
  { model, field }: FieldPlace,
  isWanted: (wire: Value | undefined) => boolean,
  change: (draft: Draft) => Draft,
): Decoration {
  return onDraft(model, operation, (draft, sent) => (isWanted(sent[field.name]) ? change(draft) : draft));
}

/** Returns the violations of a field, and of the parts in it. */
export function violationsOf(draft: Draft, field: Field): readonly Violation[] {
  const pointer = pointerTo('', field.name);
  return draft.violations.filter((found) => `${found.pointer}/`.startsWith(`${pointer}/`));
}

/** The draft as if nothing were wrong with the field, and with a value for it unless that is undefined. */
export function forgive(draft: Draft, field: Field, value?: Value): Draft {
  const wrong = violationsOf(draft, field);
  return {
    values: value === undefined ? draft.values : { ...draft.values, [field.name]: value },
    violations: draft.violations.filter((found) => !wrong.includes(found)),
  };
}

/** The draft with one more thing wrong with it. */
export function refuse(draft: Draft, field: Field, message: string): Draft {
  return {
    ...draft,
    violations: [...draft.violations, { pointer: pointerTo('', field.name), message }],
  };
}
