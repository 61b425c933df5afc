import type { Field } from '../../spec/catalogue/field.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Draft, pointerTo, type Violation } from '../engine/violation.ts';
import type { At, ChangeRequest, Written } from './defect.ts';

/** Changes how the bodies of an operation are read; `sent` has the values in wire form. */
export function reads(
  operation: Written,
  change: (draft: Draft, sent: RecordValues, at: At) => Draft,
): ChangeRequest {
  return (inner, at) => (model, asked, sent) => {
    const draft = inner(model, asked, sent);
    return model.name === at.model.name && asked === operation ? change(draft, sent, at) : draft;
  };
}

/** Accepts some values of the field, and stores the value that `replace` returns; none if that is undefined. */
export function accepts(
  operation: Written,
  isAccepted: (wire: Value | undefined) => boolean,
  replace: (at: At) => Value | undefined,
) {
  return reads(operation, (draft, sent, at) =>
    isAccepted(sent[at.field.name]) ? forgive(draft, at.field, replace(at)) : draft,
  );
}

/** Rejects some values of the field. */
export function rejects(
  operation: Written,
  message: string,
  isRejected: (wire: Value | undefined) => boolean,
) {
  return reads(operation, (draft, sent, { field }) =>
    isRejected(sent[field.name]) ? refuse(draft, field, message) : draft,
  );
}

/** Returns the violations of a field, and of the parts in it. */
export function violationsOf(draft: Draft, field: Field): readonly Violation[] {
  const pointer = pointerTo('', field.name);
  return draft.violations.filter((found) => `${found.pointer}/`.startsWith(`${pointer}/`));
}

/** Returns the draft without the violations of a field, and with a value for it unless that is undefined. */
export function forgive(draft: Draft, field: Field, value?: Value): Draft {
  const wrong = violationsOf(draft, field);
  return {
    values: value === undefined ? draft.values : { ...draft.values, [field.name]: value },
    violations: draft.violations.filter((found) => !wrong.includes(found)),
  };
}

/** Returns the draft with one more violation. */
export function refuse(draft: Draft, field: Field, message: string): Draft {
  return { ...draft, violations: [...draft.violations, { pointer: pointerTo('', field.name), message }] };
}
