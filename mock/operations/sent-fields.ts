import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { LONGEST_LIST, type Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { readTextValue } from './text-value.ts';

/** The members of a body that lead to a value, such as `lines`, 0, `units`. */
export type Place = readonly (string | number)[];

/** Where the fields of every model are found by name. */
export type FieldIndex = ReadonlyMap<string, ReadonlyMap<string, Field>>;

export function indexFields({ models }: Catalogue): FieldIndex {
  return new Map(
    [...models.values()].map(({ fields, name }) => [
      name,
      new Map(fields.map((field) => [field.name, field])),
    ]),
  );
}

export type PrepareOptions = {
  readonly index: FieldIndex;
  readonly profile: Profile;
  /** In an update the id of a line says which line is meant, though it is readonly: it stays for the schema to judge. */
  readonly operation: 'create' | 'update';
  onReadonly(place: Place): void;
  /** Told of a field that the model does not have, and says whether it stays for the schema to judge. */
  onUnknown?(place: Place): 'keep' | 'leave-out';
  /** Told of a list that is too long, in whose place an empty one stands; without it lists have any length. */
  onLongList?(place: Place, length: number): void;
};

/**
 * The fields of a body as the schema of a body has them: without readonly ones but the ids of lines to update, and
 * texts of a form coerced to what they stand for, in lines too. The same object when nothing differs.
 */
export function prepareFields(
  model: Model['name'],
  sent: RecordValues,
  { index, onLongList, onReadonly, onUnknown, operation, profile }: PrepareOptions,
): RecordValues {
  const isForm = profile['request.encoding'] === 'form';
  const namesLines = operation === 'update' && profile['request.readonlyFields'] === 'ignore';
  return prepare(model, sent, []);

  function prepare(name: string, values: RecordValues, place: Place): RecordValues {
    const fields = index.get(name);
    const kept: (readonly [string, Value])[] = [];
    let differs = false;
    for (const [member, value] of Object.entries(values)) {
      const field = fields?.get(member);
      if (field?.readonly && !(namesLines && member === 'id' && place.length > 0)) {
        onReadonly([...place, member]);
        differs = true;
        continue;
      }
      if (!field && onUnknown?.([...place, member]) === 'leave-out') {
        differs = true;
        continue;
      }
      const prepared = field ? prepareValue(field, value, [...place, member]) : value;
      differs ||= prepared !== value;
      kept.push([member, prepared]);
    }
    // Not assigned one by one: a field may be called __proto__.
    return differs ? Object.fromEntries(kept) : values;
  }

  function prepareValue(field: Field, value: Value, place: Place): Value {
    if (onLongList && Array.isArray(value) && value.length > LONGEST_LIST) {
      onLongList(place, value.length);
      return [];
    }
    const { lines } = field;
    if (lines !== undefined && Array.isArray(value) && profile['types.lines'] === 'objects')
      return value.map((item, at) => (isFields(item) ? prepare(lines, item, [...place, at]) : item));
    return isForm ? readTextValue(field, profile, value) : value;
  }
}

export function isFields(value: unknown): value is RecordValues {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
