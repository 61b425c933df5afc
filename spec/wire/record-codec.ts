import type { Catalogue, Model } from '../catalogue/catalogue.ts';
import type { Field } from '../catalogue/field.ts';
import { type Profile, profileAt } from '../profile/profile.ts';
import { TYPES } from '../types/types.ts';
import type { Value } from '../types/wire-type.ts';

/** A record in canonical form, by field name; null is a field without a value, a missing key one not named. */
export type RecordValues = { readonly [field: string]: Value };

/** Turns whole records between canonical form and the form on the wire under a profile. */
export type RecordCodec = {
  /** Canonical → wire: fields in the catalogue's order, unset ones as the profile shows them. */
  encode(model: string, record: RecordValues): Record<string, Value>;
  /** Canonical → wire, as sent: only the fields that are named. */
  encodeNamed(model: string, values: RecordValues): Record<string, Value>;
  /** Wire → canonical, for values that obey the schema; fields the model does not have are left out. */
  decode(model: string, wire: RecordValues): Record<string, Value>;
};

export function createRecordCodec(catalogue: Catalogue, profile: Profile): RecordCodec {
  // The codecs of the fields are built once, not for each value.
  const fieldsOf = new Map(
    [...catalogue.models.values()].map((model: Model) => [
      model.name,
      model.fields.map((field) => {
        const own = profileAt(profile, field.key);
        const showNull = own['response.unset'] === 'null';
        return { field, type: TYPES[field.type], context: { field, profile: own }, showNull };
      }),
    ]),
  );
  return { encode, encodeNamed, decode };

  function encode(model: string, record: RecordValues): Record<string, Value> {
    const wire: Record<string, Value> = {};
    for (const { context, field, showNull, type } of fieldsOf.get(model) ?? []) {
      const value = Object.hasOwn(record, field.name) ? record[field.name] : undefined;
      if (value === undefined || value === null) {
        if (showNull) wire[field.name] = null;
      } else {
        wire[field.name] = type.encode(mapLines(field, value, encode), context);
      }
    }
    return wire;
  }

  function encodeNamed(model: string, values: RecordValues): Record<string, Value> {
    const wire: Record<string, Value> = {};
    for (const { context, field, type } of fieldsOf.get(model) ?? []) {
      const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
      if (value === undefined) continue;
      wire[field.name] = value === null ? null : type.encode(mapLines(field, value, encodeNamed), context);
    }
    return wire;
  }

  function decode(model: string, wire: RecordValues): Record<string, Value> {
    const record: Record<string, Value> = {};
    for (const { context, field, type } of fieldsOf.get(model) ?? []) {
      const value = Object.hasOwn(wire, field.name) ? wire[field.name] : undefined;
      if (value === undefined) continue;
      record[field.name] = value === null ? null : mapLines(field, type.decode(value, context), decode);
    }
    return record;
  }
}

function mapLines(
  field: Field,
  value: Value,
  turn: (model: string, record: RecordValues) => Record<string, Value>,
): Value {
  if (field.lines === undefined) return value;
  const model = field.lines;
  // Under `types.lines: ids` the items are ids, which have one form only.
  return (value as Value[]).map((line) =>
    typeof line === 'object' ? turn(model, line as RecordValues) : line,
  );
}
