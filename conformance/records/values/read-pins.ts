import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { type Key, type Place, placeOf } from '../../../spec/files/place.ts';
import { checkShape } from '../../../spec/files/shape.ts';
import { orList, readAll, UsageError, unexpected } from '../../../spec/files/usage-error.ts';
import { readYaml, readYamlFile } from '../../../spec/files/yaml-file.ts';
import { DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import { choicesOf, isText, WIRE_TYPES } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { createWireCheck } from '../../assert/wire-check.ts';
import {
  listPin,
  type Pin,
  type Pins,
  patternPin,
  rangePin,
  scaleOf,
  tiePin,
  tiesOf,
  UNIQUE_PIN,
} from './pins.ts';

/** The key and the place of each pin, as `model.field` or `*.field`. */
export type PinEntry = readonly [key: Key, written: Place];

/** Returns the entries of a file such as `share.number: "####"`, or of an object with the same. */
export function pinsIn(given: string | object): readonly PinEntry[] {
  return (typeof given === 'string' ? readYamlFile(given) : placeOf(given, 'pins')).entries();
}

/** Returns the entries of flags such as `share.number=####`. Throws UsageError for a flag without a value. */
export function pinsInFlags(texts: readonly string[]): readonly PinEntry[] {
  return readAll(texts, (text): PinEntry => {
    const [key = '', ...rest] = text.split('=');
    if (rest.length === 0) throw new UsageError(`--pin ${text} has no value. Use ${key}=VALUE.`);
    const value = rest.join('=');
    return [key, flagPlace(key, value)];
  });
}

/**
 * Reads pins. Of two entries for one field, the later one counts, but `model.field` always wins over `*.field`. Throws
 * UsageError that lists all mistakes: a name that no model has, and a value that the field or the profile doesn't allow.
 */
export function readPins(entries: readonly PinEntry[], contract: Contract): Pins {
  const models = [...contract.catalogue.models.values()];
  const fields = models.flatMap((model) => model.fields.map((field) => ({ model, field })));
  const isFree = ({ field }: { field: Field }) => !field.readonly;
  const writable = fields.filter(isFree);
  const read = createReader(contract);
  const found = readAll(entries, ([name, place]) => {
    const key = String(name);
    const isForAll = key.startsWith('*.');
    const ofKey = ({ field }: { field: Field }) => (isForAll ? `*.${field.name}` : field.key) === key;
    const wanted = writable.filter(ofKey);
    if (wanted.length === 0 && fields.some(ofKey))
      place.fail(`${key} is readonly, so no client can send it. Remove the pin.`);
    if (wanted.length === 0)
      place.fail(unexpected('field', key, [...new Set(writable.map((one) => nameOf(one.field, isForAll)))]));
    checkShape(place, 'pins#/$defs/pin');
    // A model without the other field has no such rule.
    const other = otherIn(place.value);
    const tied = wanted.filter(({ model }) => model.fields.some((one) => one.name === other));
    const pinned = isForAll && tied.length > 0 ? tied : wanted;
    return {
      isForAll,
      place,
      pins: readAll(pinned, ({ field, model }) => ({ field, model, pin: read(field, model.fields, place) })),
    };
  });
  const ordered = [...found.filter(({ isForAll }) => isForAll), ...found.filter((one) => !one.isForAll)];
  const pins = new Map(ordered.flatMap((one) => one.pins.map(({ field, pin }) => [field.key, pin] as const)));
  readAll(ordered, (one) => {
    for (const { field, model } of one.pins)
      if (isInCircle(field, pins, model))
        one.place.fail(`${field.key} depends on itself. Remove one of the pins.`);
  });
  return pins;
}

function isInCircle(field: Field, pins: Pins, model: Model): boolean {
  const ties = tiesOf(model, pins);
  let at: Field | undefined = field;
  for (let steps = 0; steps <= ties.length && at; steps++) {
    at = ties.find((tie) => tie.field === at)?.other;
    if (at === field) return true;
  }
  return false;
}

function nameOf({ key, name }: Field, isForAll: boolean): string {
  return isForAll ? `*.${name}` : key;
}

function otherIn(written: unknown): string | undefined {
  const { after, sameAs = after } = (written ?? {}) as { readonly after?: string; readonly sameAs?: string };
  return sameAs;
}

/** The keys that a pin can have together, in alphabetical order. */
const FORMS: readonly string[] = [
  'value',
  'oneOf',
  'from with to',
  'from with to with unique',
  'pattern',
  'pattern with unique',
  'unique',
  'sameAs',
  'after',
];

/** A pin as a mapping. */
type Written = {
  readonly value?: Value;
  readonly oneOf?: readonly Value[];
  readonly from?: Value;
  readonly to?: Value;
  readonly pattern?: string;
  readonly unique?: true;
  readonly sameAs?: string;
  readonly after?: string;
};

function createReader(contract: Contract) {
  const { profile } = contract;
  const canonical = createWireCheck({ ...contract, profile: DEFAULT_PROFILE, references: new Map() });
  const spoken = createWireCheck(contract);
  return read;

  function read(field: Field, fields: readonly Field[], place: Place): Pin {
    const written = expand(place.value as Value, field);
    const { after, from, oneOf, pattern, sameAs, to = null, unique = false, value = null } = written;
    const takes = `${field.key} takes ${field.type} values`;
    const keys = Object.keys(written);
    if (!FORMS.includes(keys.toSorted().join(' with ')))
      place.fail(`${field.key} has the keys ${keys.join(', ')}. Use ${orList(FORMS)}.`);
    if (sameAs !== undefined) return needOther(field, 'sameAs', sameAs, fields, place);
    if (after !== undefined) return needOther(field, 'after', after, fields, place);
    const scale = scaleOf(field);
    if (unique && !scale && !isText(field) && field.type !== 'email' && field.type !== 'url')
      place.fail(`${field.key} can't be unique. Only strings, numbers, dates, and times can.`);
    if (pattern !== undefined) {
      if (typeof WIRE_TYPES[field.type].sample(0, { field, ...contract }) !== 'string')
        place.fail(`${takes}, so it can't have a pattern. Use from and to.`);
      const pin = patternPin(pattern, unique);
      needValid([pin.at(0) ?? null], field, place);
      return pin;
    }
    if (from !== undefined) {
      if (!scale) place.fail(`${takes}, which have no range. List the values.`);
      needValid([from, to], field, place);
      const pin = rangePin(field, from, to, unique);
      if (!(pin.size >= 1))
        place.fail(`${field.key} has a range whose start is above its end. Exchange from and to.`);
      return pin;
    }
    if (unique) return UNIQUE_PIN;
    const values = oneOf ?? [value];
    if (values.length === 0)
      place.fail(`${field.key} has an empty list. List the values that the service accepts.`);
    needValid(values, field, place);
    return listPin(field, values);
  }

  function needValid(values: readonly Value[], field: Field, place: Place): void {
    readAll(values, (value) => {
      const wrong = complaintOf(field, value);
      if (wrong !== undefined)
        place.fail(`${field.key} has an invalid value: ${wrong}.${hintOf(field, place)}`);
    });
  }

  /** Returns the error in a canonical value, by its type, its value list, and the limits of the profile. */
  function complaintOf(field: Field, value: Value): string | undefined {
    const wrong = canonical.complaint(field, value);
    if (wrong !== undefined || field.lines !== undefined) return wrong;
    const choices = choicesOf({ field, profile });
    if (choices && !choices.some((choice) => choice.value === value))
      return `${JSON.stringify(value)} is not in its value list (${choices.map((choice) => choice.value).join(', ')})`;
    return spoken.complaint(field, WIRE_TYPES[field.type].encode(value, { field, profile }));
  }

  /** A number on the command line is meant as a string if the field takes strings. */
  function hintOf(field: Field, { at, value }: Place): string {
    if (typeof value !== 'number' || canonical.complaint(field, String(value)) !== undefined) return '';
    const quoted = JSON.stringify(String(value));
    const pin = at === FLAG ? `--pin '${field.key}=${quoted}'` : `${field.key}: ${quoted}`;
    return ` To send a string, quote it: ${pin}`;
  }
}

/** Returns a pin as a mapping. A string with `#` is a pattern, and a list has the allowed values. */
function expand(written: Value, { lines, type }: Field): Written {
  const isList = lines !== undefined || type === 'manyToMany' || type === 'daysOfWeek';
  if (Array.isArray(written) && !isList) return { oneOf: written };
  if (typeof written === 'string' && written.includes('#')) return { pattern: written };
  if (written === null || typeof written !== 'object' || Array.isArray(written)) return { value: written };
  return written as Written;
}

/** Returns the pin for a field that depends on another one of the same type. */
function needOther(
  field: Field,
  kind: 'sameAs' | 'after',
  name: string,
  fields: readonly Field[],
  place: Place,
): Pin {
  const isAlike = (one: Field) => one !== field && one.type === field.type && !one.readonly;
  const other = fields.find((one) => one.name === name);
  const names = fields.filter(isAlike).map((one) => one.name);
  if (!other) place.fail(unexpected('field', name, names, `in the pin of ${field.key}`));
  if (kind === 'after' && !scaleOf(field))
    place.fail(
      `${field.key} takes ${field.type} values, which have no order. Use sameAs, or remove the pin.`,
    );
  if (other === field) place.fail(`${field.key} depends on itself. Name another field.`);
  if (other.readonly)
    place.fail(`${other.key} is readonly, so ${field.key} can't depend on it. Remove the pin.`);
  if (!isAlike(other) || JSON.stringify(other.choices) !== JSON.stringify(field.choices))
    place.fail(`${field.key} and ${other.key} have different types. Name a field of type ${field.type}.`);
  return tiePin(kind, name);
}

/** The place of a pin that no file has. */
const FLAG = '--pin';

function flagPlace(key: string, text: string): Place {
  const isNested = /^[[{]/.test(text);
  const value = isNested ? readYaml(text, `${FLAG} ${key}`).value : readScalar(text);
  return {
    ...placeOf(value, FLAG),
    at: FLAG,
    fail: (message) => {
      throw new UsageError(`${FLAG}: ${message}`);
    },
  };
}

function readScalar(text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return text;
  }
}

/** Returns the flag that fixes the value, quoted for a shell. */
export function pinFlag({ key }: Field, value: Value): string {
  const isBare = typeof value === 'string' && !/^[[{]|#/.test(value) && readScalar(value) === value;
  const isMapping = typeof value === 'string' && value.includes('#');
  const pin = `${key}=${isBare ? value : JSON.stringify(isMapping ? { value } : value)}`;
  return `--pin ${/^[\w.=-]+$/.test(pin) ? pin : `'${pin}'`}`;
}
