import type { Field } from '../../spec/catalogue/field.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { createRecordCodec, type RecordValues } from '../../spec/wire/record-codec.ts';
import { type Draft, pointerTo, type Violation } from '../engine/violation.ts';
import { readTextValue } from '../operations/body.ts';
import { type At, type ChangeRequest, type Changes, onWrites, type Written, writableOf } from './defect.ts';
import { without } from './on-engine.ts';
import { isNamed, linesIn, nameOf, otherMember, otherValue } from './values.ts';

type Wire = Value | undefined;

const isMissing = (wire: Wire) => wire === undefined;
const isNull = (wire: Wire) => wire === null || wire === '';

/** Changes to how the values of a request are read (sections 2 to 4). */
export const REQUESTS: Changes<ChangeRequest> = {
  'required.not-asked-for': accepts('create', isMissing, () => undefined),
  'required.made-up': accepts('create', isMissing, (at) => otherValue(at, null)),
  'required.null-on-create': accepts('create', isNull, () => null),
  'required.taken-away': accepts('update', isNull, () => null),
  'required.asked-for-on-update': rejects('update', 'is required', isMissing),
  'required.asked-for-optional': rejects('create', 'is required', isMissing),
  'readonly.id-names-updated': readsReadonly('update'),
  'readonly.id-overwrites': readsReadonly('create'),
  'readonly.deleted-revives': readsReadonly('update'),
  'readonly.stored-beside-others': readsReadonly('update', (sent, { model }) =>
    writableOf(model).some(({ name }) => Object.hasOwn(sent, name)),
  ),
  'lines.part-not-asked-for': readsLines('create', isMissing),
  ...onWrites((operation) => ({
    [`${operation}.refuses-field`]: rejects(operation, 'cannot be sent', (wire) => wire !== undefined),
    [`readonly.stored-on-${operation}`]: readsReadonly(operation),
    [`values.member-refused-on-${operation}`]: readsMember(operation, (draft, at) =>
      refuse(draft, at.field, 'is taken back'),
    ),
    [`values.member-normalized-on-${operation}`]: readsMember(operation, (draft, at, value) =>
      forgive(draft, at.field, otherMember(at, value)),
    ),
    [`values.outside-accepted-on-${operation}`]: readsOutside(operation, (at, wire) =>
      WIRE_TYPES[at.field.type].decode(wire, at),
    ),
    [`values.outside-normalized-on-${operation}`]: readsOutside(operation, (at) => otherMember(at, null)),
    [`values.outside-ignored-on-${operation}`]: readsOutside(operation, () => undefined),
    [`lines.null-on-${operation}`]: readsLines(operation, (wire) => wire === null),
    [`lines.takes-wrong-type-on-${operation}`]: readsLines(
      operation,
      (wire) => typeof wire === 'object' || wire === 'no-number' || wire === 'no-amount',
    ),
    [`lines.readonly-stored-on-${operation}`]: readsPart(operation),
    [`input.takes-wrong-type-on-${operation}`]: reads(operation, (draft, sent, { field }) =>
      violationsOf(draft, field).length > 0 ? forgive(draft, field, sent[field.name]) : draft,
    ),
  })),
};

/** Changes how the bodies of an operation are read; `sent` has the values in wire form. */
function reads(
  operation: Written,
  change: (draft: Draft, sent: RecordValues, at: At) => Draft,
): ChangeRequest {
  return (inner, at) => (model, asked, sent) => {
    const draft = inner(model, asked, sent);
    return model.name === at.model.name && asked === operation ? change(draft, sent, at) : draft;
  };
}

/** Accepts some values of the field, and stores the value that `replace` returns; none if that is undefined. */
function accepts(operation: Written, isAccepted: (wire: Wire) => boolean, replace: (at: At) => Wire) {
  return reads(operation, (draft, sent, at) =>
    isAccepted(sent[at.field.name]) ? forgive(draft, at.field, replace(at)) : draft,
  );
}

/** Rejects some values of the field. */
function rejects(operation: Written, message: string, isRejected: (wire: Wire) => boolean) {
  return reads(operation, (draft, sent, { field }) =>
    isRejected(sent[field.name]) ? refuse(draft, field, message) : draft,
  );
}

/** Reads a readonly field like a writable one, in all bodies or in some. */
function readsReadonly(operation: Written, isSo: (sent: RecordValues, at: At) => boolean = () => true) {
  return reads(operation, (draft, sent, at) => {
    const { field, profile } = at;
    const wire = sent[field.name];
    const others = forgive(draft, field);
    if (wire === undefined || wire === null || !isSo(sent, at) || others.violations.length > 0) return draft;
    const read = profile['request.encoding'] === 'form' ? readTextValue(field, profile, wire) : wire;
    return forgive(draft, field, WIRE_TYPES[field.type].decode(read, at));
  });
}

/** Changes how the member of a value list in the detail is read. */
function readsMember(operation: Written, change: (draft: Draft, at: At, value: Value) => Draft) {
  return reads(operation, (draft, _, at) => {
    const value = draft.values[at.field.name];
    return value !== undefined && nameOf(value) === at.detail ? change(draft, at, value) : draft;
  });
}

/** Accepts the invalid value in the detail. */
function readsOutside(operation: Written, replace: (at: At, wire: Value) => Wire) {
  return reads(operation, (draft, sent, at) => {
    const wire = sent[at.field.name];
    if (wire === undefined || violationsOf(draft, at.field).length === 0) return draft;
    return isNamed(wire, at.detail) ? forgive(draft, at.field, replace(at, wire)) : draft;
  });
}

/** Accepts lines in which the part has a wrong value, and stores it. */
function readsLines(operation: Written, isWrong: (wire: Wire) => boolean) {
  return reads(operation, (draft, sent, { catalogue, detail, field, profile }) => {
    const lines = linesIn(sent, field);
    if (!lines.some((line) => isWrong(line[detail]))) return draft;
    const codec = createRecordCodec(catalogue, profile);
    const read = (line: RecordValues): Value => {
      if (!isWrong(line[detail])) return codec.decode(field.lines ?? '', line);
      return { ...codec.decode(field.lines ?? '', without(line, detail)), [detail]: line[detail] ?? null };
    };
    return forgive(draft, field, lines.map(read));
  });
}

/** The value that was last sent for a part, by the place of the defect. */
export const sentLast = new WeakMap<At, Value>();

function readsPart(operation: Written) {
  return reads(operation, (draft, sent, at) => {
    const { catalogue, detail, field, profile } = at;
    const wire = linesIn(sent, field)[0]?.[detail];
    sentLast.delete(at);
    if (wire === undefined) return draft;
    const value = createRecordCodec(catalogue, profile).decode(field.lines ?? '', { [detail]: wire })[detail];
    if (value !== undefined) sentLast.set(at, value);
    return forgive(draft, field);
  });
}

/** Returns the violations of a field, and of the parts in it. */
export function violationsOf(draft: Draft, field: Field): readonly Violation[] {
  const pointer = pointerTo('', field.name);
  return draft.violations.filter((found) => `${found.pointer}/`.startsWith(`${pointer}/`));
}

/** Returns the draft without the violations of a field, and with a value for it unless that is undefined. */
function forgive(draft: Draft, field: Field, value?: Value): Draft {
  const wrong = violationsOf(draft, field);
  return {
    values: value === undefined ? draft.values : { ...draft.values, [field.name]: value },
    violations: draft.violations.filter((found) => !wrong.includes(found)),
  };
}

/** Returns the draft with one more violation. */
function refuse(draft: Draft, field: Field, message: string): Draft {
  return { ...draft, violations: [...draft.violations, { pointer: pointerTo('', field.name), message }] };
}
