import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field, Role, TypeName } from '../../spec/catalogue/field.ts';
import { fieldOf, isIdField } from '../../spec/catalogue/roles.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { canonicalDatetime, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { FORMULAS, type Formula, type Surroundings } from './formulas.ts';

/** The user of a change by an unknown user, because the interface has no users (section 5). */
export const NOBODY = 1;

/** The time of a change, as a canonical datetime, and its user. */
export type ChangeStamp = { readonly now: string; readonly user: number };

/** Returns the functions that fill in the fields of the service. */
export function createComputedFields(catalogue: Catalogue, profile: Profile) {
  const longest = profile['limits.text'];
  const byModel = <Known>(find: (model: Model) => Known): ReadonlyMap<string, Known> =>
    new Map([...catalogue.models.values()].map((model) => [model.name, find(model)]));
  const formulas = byModel(formulasOf);
  const blanks = byModel(({ fields }) => Object.fromEntries(fields.map(({ name }) => [name, null])));
  const initials = byModel(({ fields }) =>
    fields.map((field) => [field.name, initialOf(field, profile)] as const),
  );
  return {
    /** Returns a whole record from some values: with common fields, defaults of required readonly fields, and null. */
    complete: (model: Model, id: number, values: RecordValues, change: ChangeStamp): RecordValues => {
      // V8 is several times slower with objects that get many fields one by one.
      const record: Record<string, Value> = { ...blanks.get(model.name) };
      for (const [name, initial] of initials.get(model.name) ?? []) {
        const given = Object.hasOwn(values, name) ? values[name] : undefined;
        record[name] = given ?? initial?.(change, id) ?? null;
      }
      return record;
    },
    /** Returns the record with the time and user of a change. */
    touch: (model: Model, record: RecordValues, { now, user }: ChangeStamp): RecordValues => {
      const changed: Record<string, Value> = { ...record };
      const [updated, by] = [fieldOf(model, 'updated'), fieldOf(model, 'updatedBy')];
      if (updated) changed[updated.name] = now;
      if (by) changed[by.name] = user;
      return changed;
    },
    /** Returns the record with the values that follow from others; the same object if none differs. */
    compute: (model: Model, surroundings: Surroundings): RecordValues => {
      const known = formulas.get(model.name) ?? [];
      let { record } = surroundings;
      for (const [field, formula] of known) {
        const found = formula({ ...surroundings, record });
        // Generated texts differ at their ends.
        const value = typeof found === 'string' && longest !== 'none' ? found.slice(-longest) : found;
        if (value !== record[field]) record = { ...record, [field]: value };
      }
      return record;
    },
  };
}

function formulasOf(model: Model): (readonly [field: string, formula: Formula])[] {
  return Object.entries(FORMULAS).flatMap(([key, formula]) => {
    // Only for readonly fields. In another catalogue, the field can be writable.
    const field = model.fields.find((candidate) => candidate.key === key && candidate.readonly);
    return field ? [[field.name, formula] as const] : [];
  });
}

/** Returns the function that fills in a field of a new record; undefined for a field that stays unset. */
function initialOf(field: Field, profile: Profile): ((change: ChangeStamp, id: number) => Value) | undefined {
  if (isIdField(field)) return (_, id) => id;
  if (field.role) return COMMON[field.role];
  return field.required && field.readonly ? ({ now }) => defaultOf(field, now, profile) : undefined;
}

let lastSecond = { second: Number.NaN, text: '' };

/** Returns a time in whole seconds, because not every form of a datetime shows parts of one (types.datetime). */
export function secondOf(time: Date): string {
  const second = Math.floor(time.getTime() / 1000);
  if (second !== lastSecond.second) lastSecond = { second, text: canonicalDatetime(new Date(second * 1000)) };
  return lastSecond.text;
}

/** Section 2.0. */
const COMMON: Readonly<Record<Role, (change: ChangeStamp) => Value>> = {
  created: ({ now }) => now,
  createdBy: ({ user }) => user,
  updated: ({ now }) => now,
  updatedBy: ({ user }) => user,
  deleted: () => false,
};

/** INFERRED: the value of a required readonly field that no formula fills in. */
const DEFAULTS: Readonly<Partial<Record<TypeName, Value>>> = {
  int: 0,
  float: 0,
  currency: 0,
  percent: 0,
  string: '',
  text: '',
  markdown: '',
  bool: false,
  time: '00:00:00',
  duration: 'PT0S',
  daysOfWeek: [],
  manyToMany: [],
  lines: [],
};

function defaultOf(field: Field, now: string, profile: Profile): Value {
  if (field.type === 'datetime') return now;
  if (field.type === 'date') return now.slice(0, 10);
  // The first choice of a select; addresses have no empty value.
  return DEFAULTS[field.type] ?? WIRE_TYPES[field.type].sample(0, { field, profile });
}
