import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../../spec/catalogue/field.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE, type Profile } from '../../spec/profile/profile.ts';
import { linkedModel } from '../../spec/references.ts';
import { isText, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { createValueValidators } from '../operations/body.ts';
import type { Seed, SeedSource } from './seed-record.ts';

/** Where a mock without other options serves images. The demo records have this address. */
export const DEFAULT_ORIGIN = 'http://127.0.0.1:4010';

/** Reads the values of fixtures. `idsOf` returns the IDs of the fixtures of a model. */
export function createValueReader(known: SeedSource, idsOf: (model: string) => readonly unknown[]) {
  const { profile, references, relations } = known;
  const validate = createValueValidators(DEFAULT_PROFILE);
  const { asShown, fill, isDefault, replace } = createCoercion(profile);
  return { read, readLines };

  function readLines(field: Field, value: unknown, { at, model }: Seed): Value | undefined {
    if (value === undefined) return undefined;
    // Without a link the parent's own field is the only place that says which lines it has.
    const relation = relations.ofParent(model).find((one) => one.field === field);
    if (relation?.link === undefined && isIds(value)) return value;
    throw new UsageError(
      `${at(field.name)}: ${field.name} can't be set here. Add ${field.lines} records that link to this record.`,
    );
  }

  /** A fixture may be written in any form the default profile takes, such as a time with an offset. */
  function read(
    field: Field,
    value: unknown,
    { at, id }: Seed,
    source: { readonly isDemo: boolean; readonly isChecked: boolean; readonly isOfKit: boolean },
  ): Value | undefined {
    if (value === undefined || value === null) {
      if (!field.required || field.readonly) return undefined;
      if (known.lenient) return fill(field, id, firstLinked(field));
      throw new UsageError(
        `${at(field.name)}: ${field.name} is required. Add a value of type ${field.type}, or pass --lenient.`,
      );
    }
    const [wrong] = source.isChecked ? [] : validate(field, value);
    if (wrong) throw new UsageError(`${at(field.name)}: ${field.name}${wrong.pointer} ${wrong.message}`);
    const canonical = decode(field, source.isDemo ? served(field, value as Value) : (value as Value), at);
    if (source.isChecked && isDefault) return canonical;
    const shown = asShown(field, canonical, value as Value);
    if ('value' in shown) return shown.value;
    if (source.isOfKit) return replace(field, canonical, id);
    throw new UsageError(`${at(field.name)}: Under this profile, ${field.name}${shown.wrong}`);
  }

  /** Returns a value of the demo, whose images are where this mock serves them. */
  function served(field: Field, value: Value): Value {
    const { origin = DEFAULT_ORIGIN } = known;
    return field.type === 'image' ? String(value).replace(DEFAULT_ORIGIN, origin) : value;
  }

  /** The first record that a link may lead to. */
  function firstLinked(field: Field): number | undefined {
    const to = linkedModel(references, field);
    if (to === undefined) return undefined;
    const first = idsOf(to).find((id) => typeof id === 'number');
    // The first generated one.
    return first ?? (known.isGenerated?.(to) ? 1 : undefined);
  }
}

function decode(field: Field, value: Value, at: Seed['at']): Value {
  try {
    return WIRE_TYPES[field.type].decode(value, { field, profile: DEFAULT_PROFILE });
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(`${at(field.name)}: ${field.name} is not a valid ${field.type}: ${message}.`);
  }
}

function isIds(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((id) => Number.isSafeInteger(id));
}

/** Converts values to those that the profile can show, so that a filter finds the shown values. */
export function createCoercion(profile: Profile) {
  const validate = createValueValidators(profile);
  const longest = profile['limits.text'];
  const isDefault = isDeepStrictEqual(formsOf(profile), formsOf(DEFAULT_PROFILE));
  return {
    /** Whether values have the forms of the default profile. */
    isDefault,
    /**
     * Returns the value after a round trip through its wire form, or the reason why it has no wire form. `valid` is a
     * form of the default profile that was checked and decoded to the value.
     */
    asShown: (field: Field, value: Value, valid?: Value): { value: Value } | { wrong: string } => {
      const { decode, encode } = WIRE_TYPES[field.type];
      const wire = encode(value, { field, profile });
      if (isDefault && wire === valid) return { value };
      const [wrong] = validate(field, wire);
      if (wrong) return { wrong: `${wrong.pointer} ${wrong.message}` };
      return { value: decode(wire, { field, profile }) };
    },
    /** Returns the nearest valid value for one that does not fit; undefined if the field stays unset. */
    replace: (field: Field, value: Value, id: number): Value | undefined => {
      if (isText(field) && longest !== 'none') return [...String(value)].slice(0, longest).join('').trimEnd();
      // A member of another list is as good; another model or address would be one that nothing is at.
      if (field.type !== 'select' && !field.required) return undefined;
      return WIRE_TYPES[field.type].sample(id, { field, profile });
    },
    /** Returns a value for a required field without one: a link to `linked` if possible, else a sample. */
    fill: (field: Field, id: number, linked: number | undefined): Value => {
      if (linked !== undefined && field.type === 'int') return linked;
      if (field.type === 'manyToMany') return linked === undefined ? [] : [linked];
      const sample = WIRE_TYPES[field.type].sample(id, { field, profile });
      return typeof sample === 'string' && isText(field) && longest !== 'none'
        ? sample.slice(-longest)
        : sample;
    },
  };
}

/** The settings that a value's form on the wire rests on. */
function formsOf(profile: Profile): object {
  return Object.fromEntries(
    Object.entries(profile).filter(([name]) => /^(types|limits|values)\b/.test(name)),
  );
}
