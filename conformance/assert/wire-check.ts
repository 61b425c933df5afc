import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import {
  type Profile,
  profileAt,
  typeOptions,
  typeSetting,
  under,
  whyFormless,
} from '../../spec/profile/profile.ts';
import { redactValue } from '../../spec/redaction.ts';
import { compileWireSchema, type Obeys } from '../../spec/types/obeys.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Context, Value, WireType } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isObject } from '../api/answer.ts';
import { ADDRESSES, FORM_NOT_SHOWN, isUnset, UNREAD } from './agreement.ts';

type Part = Context & { readonly isFormless: boolean; readonly type: WireType; readonly obeys: Obeys };

/** Judges values on the wire, and reads them as far as they can be read. */
export type WireCheck = ReturnType<typeof createWireCheck>;

export function createWireCheck(plan: Contract) {
  const { catalogue, profile } = plan;
  // A run checks hundreds of thousands of values, so the parts of a field are made once.
  const partOf = onceFor((field: Field): Part => {
    const isFormless = whyFormless(field, plan) !== undefined;
    return { field, profile, type: WIRE_TYPES[field.type], isFormless, obeys: obeysUnder(field, profile) };
  });
  const partsIn = onceFor((model: Model) => model.fields.map(partOf));
  /** Answers are read by the case that asked and by the expected state. */
  const canonical = new WeakMap<RecordValues, { readonly model: Model; readonly record: RecordValues }>();
  const readValue = (field: Field, wire: Value) => readPart(partOf(field), wire);
  return { complaint, otherOption, read, readValue };

  /** Returns the error in a value; undefined if the value has the form of its type, or the form is unknown. */
  function complaint(field: Field, wire: unknown, spoken: Profile = profile): string | undefined {
    const { isFormless, obeys } = partOf(field);
    if (isFormless) return undefined;
    const valid = spoken === profile ? obeys : obeysUnder(field, spoken);
    if (!valid(wire)) return `${show(wire)} is not a valid ${field.type} (${schemaText(field, spoken)})`;
    if (field.lines === undefined || profileAt(spoken, field.key)['types.lines'] === 'ids') return undefined;
    for (const [part, value] of partsOf(field.lines, wire as RecordValues[])) {
      const wrong = complaint(part, value, spoken);
      if (wrong !== undefined) return `in a line, ${part.name}: ${wrong}`;
    }
    return undefined;
  }

  function* partsOf(lines: string, items: readonly RecordValues[]): Generator<[Field, Value]> {
    for (const item of items)
      for (const part of catalogue.models.get(lines)?.fields ?? []) {
        const value = item[part.name];
        if (value !== undefined && !isUnset(part, value)) yield [part, value];
      }
  }

  /** The option of the type's setting under which the value would be right, if there is one. */
  function otherOption(field: Field, wire: unknown): string | undefined {
    const other = formsOf(field, profile).find(
      ({ isOwn, spoken }) => !isOwn && complaint(field, wire, spoken) === undefined,
    );
    return other?.option ?? (field.lines === undefined ? undefined : otherOptionInLines(field.lines, wire));
  }

  /** The first one of those under which each part of a line would be right. */
  function otherOptionInLines(lines: string, wire: unknown): string | undefined {
    if (!Array.isArray(wire) || !wire.every((item) => typeof item === 'object' && item !== null))
      return undefined;
    const wrong = [...partsOf(lines, wire)].filter(([part, value]) => complaint(part, value) !== undefined);
    const options = wrong.map(([part, value]) => otherOption(part, value));
    return options.includes(undefined) ? undefined : options[0];
  }

  /** Returns canonical values. A value of another form stays as it is, so that it agrees with nothing. */
  function read(model: Model, wire: RecordValues): RecordValues {
    const known = canonical.get(wire);
    if (known?.model === model) return known.record;
    const record: Record<string, Value> = {};
    for (const part of partsIn(model)) {
      const { name } = part.field;
      const value = Object.hasOwn(wire, name) ? wire[name] : undefined;
      if (value !== undefined) record[name] = readPart(part, value);
    }
    canonical.set(wire, { model, record });
    return record;
  }

  function readPart(part: Part, wire: Value): Value {
    const { field, isFormless, obeys, type } = part;
    if (isUnset(field, wire)) return null;
    if (isFormless) return UNREAD;
    if (field.lines === undefined) return obeys(wire) ? type.decode(wire, part) : wire;
    const line =
      profileAt(profile, field.key)['types.lines'] === 'ids' ? undefined : catalogue.models.get(field.lines);
    // Of a line too, one part without its form is no reason not to read the others.
    if (line && Array.isArray(wire) && wire.every(isObject)) return wire.map((item) => read(line, item));
    return complaint(field, wire) === undefined ? type.decode(wire, part) : wire;
  }
}

/** The options of the setting of a field's type, each with the profile that has it. */
function formsOf(field: Field, profile: Profile) {
  const setting = typeSetting(field);
  if (setting === undefined) return [];
  return typeOptions(setting).map((option) => ({
    option,
    isOwn: option === profileAt(profile, field.key)[setting],
    spoken: under(profile, setting, option),
  }));
}

export function optionsOf(field: Field, wire: unknown, profile: Profile): string[] {
  return formsOf(field, profile).flatMap(({ option, spoken }) =>
    obeysUnder(field, spoken)(wire) ? [option] : [],
  );
}

function schemaText(field: Field, spoken: Profile): string {
  return JSON.stringify(WIRE_TYPES[field.type].schema({ field, profile: spoken }));
}

function obeysUnder(field: Field, spoken: Profile): Obeys {
  return compileWireSchema(schemaText(field, spoken));
}

/** A value as messages show it: JSON, cut where it is long. */
export function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(redactValue(value));
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

/**
 * Whether a value may be one of the field in some form: the source does not show the form of its type, and an option
 * has values of this JSON kind. An address that is none is still a text.
 */
export function mayHaveForm(field: Field, value: unknown, profile: Profile): boolean {
  if (ADDRESSES.includes(field.type)) return typeof value === 'string';
  if (!FORM_NOT_SHOWN.includes(field.type)) return false;
  const kind = Array.isArray(value) ? 'array' : typeof value;
  return formsOf(field, profile).some(({ spoken }) => {
    const { type } = WIRE_TYPES[field.type].schema({ field, profile: spoken });
    return kind === (type === 'integer' ? 'number' : String(type));
  });
}
