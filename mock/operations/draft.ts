import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { LONGEST_LIST, type Value } from '../../spec/types/wire-type.ts';
import { joinPointer } from '../../spec/wire/json-pointer.ts';
import type { RecordCodec, RecordValues } from '../../spec/wire/record-codec.ts';
import { type Draft, MOST_VIOLATIONS, pointerTo, type Violation } from '../engine/violation.ts';
import { type FieldIndex, indexFields, isFields, type Place, prepareFields } from './sent-fields.ts';
import type { ValidateBody } from './validators.ts';

export type ReadDraft = (model: Model, operation: 'create' | 'update', fields: RecordValues) => Draft;

/** What all steps of the reading of a draft know. */
type Reading = { readonly profile: Profile; readonly codec: RecordCodec; readonly index: FieldIndex };

/** Turns the fields of a body into canonical values, checked by the document's schema of the body. */
export function createDraftReader(
  catalogue: Catalogue,
  profile: Profile,
  codec: RecordCodec,
  validate: ValidateBody,
): ReadDraft {
  const reading: Reading = { profile, codec, index: indexFields(catalogue) };
  return (model, operation, sent) => {
    const violations: Violation[] = [];
    const ignored: string[] = [];
    let unknown = 0;
    const refuse = (place: Place, message: string) =>
      violations.push({ pointer: joinPointer(place), message });
    const fields = prepareFields(model.name, sent, {
      ...reading,
      operation,
      onReadonly: (place) => {
        if (profile['request.readonlyFields'] === 'reject') refuse(place, 'is readonly and must not be sent');
        else ignored.push(joinPointer(place));
      },
      onUnknown: (place) => {
        // Who sends more gets no more violations, and must not keep other clients waiting.
        unknown += 1;
        if (unknown > MOST_VIOLATIONS) return 'leave-out';
        // Where they are refused the schema does so.
        if (profile['request.unknownFields'] === 'ignore') ignored.push(joinPointer(place));
        return 'keep';
      },
      onLongList: (place, length) =>
        refuse(place, `must have at most ${LONGEST_LIST} items, but has ${length}`),
    });
    violations.push(...validate(model, operation, fields));
    const decoded = violations.length === 0 ? decodeAll(model, fields, reading) : undefined;
    if (decoded) return { values: decoded, violations, ignored };
    return { ...salvage(model, fields, violations, reading), ignored };
  };
}

/** Undefined where some value has the right form and means nothing, such as a 31st of February. */
function decodeAll(model: Model, fields: RecordValues, { codec }: Reading): RecordValues | undefined {
  try {
    return codec.decode(model.name, fields);
  } catch {
    return undefined;
  }
}

/** The values that nothing is wrong with, beside all that is wrong with the others. */
function salvage(
  model: Model,
  fields: RecordValues,
  found: readonly Violation[],
  { codec, index }: Reading,
): Draft {
  const wrong = new Set(found.map(({ pointer }) => pointer.split('/', 2).join('/')));
  const violations = new Map<string, Violation>();
  for (const violation of found)
    if (!violations.has(violation.pointer)) violations.set(violation.pointer, violation);
  const values: Record<string, Value> = {};
  for (const [name, value] of Object.entries(fields)) {
    const pointer = pointerTo('', name);
    if (wrong.has(pointer) || !index.get(model.name)?.has(name)) continue;
    const meaningless = refuseMeaning(model.name, name, value, pointer, { codec, index });
    for (const violation of meaningless) violations.set(violation.pointer, violation);
    if (meaningless.length === 0) Object.assign(values, codec.decode(model.name, { [name]: value }));
  }
  return { values, violations: [...violations.values()] };
}

/** What has the right form and means nothing, in the innermost field where it stands. */
function refuseMeaning(
  model: string,
  name: string,
  value: Value,
  pointer: string,
  reading: Pick<Reading, 'codec' | 'index'>,
): Violation[] {
  const lines = reading.index.get(model)?.get(name)?.lines;
  if (lines !== undefined && Array.isArray(value))
    return value.flatMap((item, at) =>
      Object.entries(isFields(item) ? item : {}).flatMap(([inner, innerValue]) =>
        refuseMeaning(lines, inner, innerValue, pointerTo(pointerTo(pointer, at), inner), reading),
      ),
    );
  try {
    reading.codec.decode(model, { [name]: value });
    return [];
  } catch (error) {
    return [{ pointer, message: `is invalid: ${(error as Error).message}` }];
  }
}
