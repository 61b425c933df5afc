import type { Catalogue, Model } from '../catalogue/catalogue.ts';
import type { Field } from '../catalogue/field.ts';
import { type Profile, profileAt } from '../profile/profile.ts';
import { TYPES } from '../types/types.ts';
import type { Context, Value, WireType } from '../types/wire-type.ts';

/** A record in canonical form, by field name; null is a field without a value, a missing key one not named. */
export type RecordValues = { readonly [field: string]: Value };

/** Turns whole records between canonical form and the form on the wire under a profile. */
export type RecordCodec = {
  /** Canonical → wire: fields in the catalogue's order, unset ones as the profile shows them. */
  readonly encode: OfRecord;
  /** Canonical → wire, as sent: only the fields that are named. */
  readonly encodeNamed: OfRecord;
  /** Wire → canonical, for values that obey the schema; fields the model does not have are left out. */
  readonly decode: OfRecord;
};

export function createRecordCodec(catalogue: Catalogue, profile: Profile): RecordCodec {
  // The codecs of the fields are built once, not for each value.
  const fieldsOf = new Map(
    [...catalogue.models.values()].map((model: Model) => [
      model.name,
      model.fields.map((field): FieldCodec => {
        const own = profileAt(profile, field.key);
        const showNull = own['response.unset'] === 'null';
        return { field, type: TYPES[field.type], context: { field, profile: own }, showNull };
      }),
    ]),
  );
  const encode: Turn = ({ context, field, type }, value, ofLine) =>
    type.encode(mapLines(field, value, ofLine), context);
  return {
    encode: ofRecord(encode, true),
    encodeNamed: ofRecord(encode),
    decode: ofRecord(({ context, field, type }, value, ofLine) =>
      mapLines(field, type.decode(value, context), ofLine),
    ),
  };

  /** Returns a function that turns the fields of a record. A field without a value is null if it is named, or if it is shown. */
  function ofRecord(turn: Turn, isShown = false): OfRecord {
    return function turnRecord(model, record) {
      const turned: Record<string, Value> = {};
      for (const codec of fieldsOf.get(model) ?? []) {
        const { name } = codec.field;
        const value = Object.hasOwn(record, name) ? record[name] : undefined;
        if (value !== undefined && value !== null) turned[name] = turn(codec, value, turnRecord);
        else if (isShown ? codec.showNull : value === null) turned[name] = null;
      }
      return turned;
    };
  }
}

type OfRecord = (model: string, record: RecordValues) => Record<string, Value>;
type FieldCodec = {
  readonly field: Field;
  readonly type: WireType;
  readonly context: Context;
  readonly showNull: boolean;
};
type Turn = (codec: FieldCodec, value: Value, ofLine: OfRecord) => Value;

function mapLines(field: Field, value: Value, turn: OfRecord): Value {
  if (field.lines === undefined) return value;
  const model = field.lines;
  // Under `types.lines: ids` the items are ids, which have one form only.
  return (value as Value[]).map((line) =>
    typeof line === 'object' ? turn(model, line as RecordValues) : line,
  );
}
