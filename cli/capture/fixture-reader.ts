import { createValueValidators } from '../../mock/operations/body.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { DEFAULT_PROFILE, type Profile } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** A record in the form of fixtures. */
export type Fixture = { id: number; [field: string]: unknown };

/** The next ID must be a whole number that JSON keeps, too. */
const LARGEST_ID = Number.MAX_SAFE_INTEGER - 1;

/** Reads records of a service under a profile as fixtures, which have the form of the default profile. */
export function createFixtureReader(profile: Profile) {
  const validate = createValueValidators(DEFAULT_PROFILE);
  const validateWire = createValueValidators(profile);
  const invalid = new Map<string, number>();
  return { fixture, idOf, invalid };

  /**
   * Returns the record without unset fields, fields of lines, and values that are not valid. Returns undefined if it has
   * no usable ID.
   */
  function fixture(model: Model, wire: RecordValues): Fixture | undefined {
    const id = idOf(wire);
    if (id === undefined) {
      note(`${model.name}.id`);
      return undefined;
    }
    const made: Fixture = { id };
    for (const field of model.fields) {
      const value = Object.hasOwn(wire, field.name) ? wire[field.name] : undefined;
      if (value === undefined || value === null || field.lines !== undefined || field.name === 'id') continue;
      const read = readValue(field, value);
      if (read === undefined) note(field.key);
      else made[field.name] = read;
    }
    return made;
  }

  /** Returns the value in the form of fixtures; undefined if it is not valid. */
  function readValue(field: Model['fields'][number], value: Value): Value | undefined {
    const { decode, encode } = WIRE_TYPES[field.type];
    if (validateWire(field, value).length > 0) return undefined;
    try {
      const shown = encode(decode(value, { field, profile }), { field, profile: DEFAULT_PROFILE });
      return validate(field, shown).length === 0 ? shown : undefined;
    } catch {
      return undefined;
    }
  }

  function note(key: string): void {
    invalid.set(key, (invalid.get(key) ?? 0) + 1);
  }

  /** Returns the ID of a record, or of a line that is shown as its ID; undefined if no record can have it. */
  function idOf(shown: unknown): number | undefined {
    const isRecord = typeof shown === 'object' && shown !== null;
    const given = isRecord ? (Object.hasOwn(shown, 'id') ? (shown as RecordValues).id : undefined) : shown;
    const id = typeof given === 'string' && /^\d{1,16}$/.test(given) ? Number(given) : given;
    return typeof id === 'number' && Number.isSafeInteger(id) && id >= 1 && id <= LARGEST_ID ? id : undefined;
  }
}
