import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { valueListOf, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Fixture, ReadRecords } from './read-service.ts';

/** The types whose strings have a form that no other text fits. */
const FORMAL: readonly TypeName[] = ['date', 'datetime', 'time', 'duration'];

/**
 * Replaces every string with a new one of its type. The name of its field does not matter. Dates, times, and values of a list stay.
 * Equal strings stay equal. No replacement is one of the strings that were replaced. The same records give the same
 * replacements, which follow from the order of the strings only.
 */
export function replaceTexts(
  records: ReadRecords['records'],
  { catalogue, profile }: Contract,
): ReadRecords['records'] {
  const originals = new Set([...records.values()].flat().flatMap((record) => Object.values(record)));
  const replaced = new Map<string, string | undefined>();
  let number = 0;
  return new Map([...records].map(([model, all]) => [model, all.map((one) => replaceIn(model, one))]));

  function replaceIn(model: string, record: Fixture): Fixture {
    const made = { ...record };
    for (const field of catalogue.models.get(model)?.fields ?? []) {
      const value = record[field.name];
      if (!isReplaced(field, value)) continue;
      const key = `${field.type} ${value}`;
      if (!replaced.has(key)) replaced.set(key, create(field));
      const other = replaced.get(key);
      if (other === undefined) delete made[field.name];
      else made[field.name] = other;
    }
    return made;
  }

  /** Returns a new string; undefined if all are in use, because the profile allows only few. */
  function create(field: Field): string | undefined {
    if (field.type === 'fkModel') return undefined;
    for (let tries = 0; tries <= originals.size; tries++) {
      number += 1;
      const made = String(WIRE_TYPES[field.type].sample(number, { field, profile }));
      if (!originals.has(made)) return made;
    }
    return undefined;
  }

  function isReplaced(field: Field, value: unknown): value is string {
    if (typeof value !== 'string' || FORMAL.includes(field.type)) return false;
    if (field.type === 'fkModel' && catalogue.models.has(value)) return false;
    const list = valueListOf({ field, profile });
    return !list?.some((choice) => choice.value === value);
  }
}
