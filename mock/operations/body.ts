import { isUtf8 } from 'node:buffer';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { createAjv } from '../../spec/json-schema.ts';
import { onceFor } from '../../spec/once-for.ts';
import { type Profile, profileAt } from '../../spec/profile/profile.ts';
import { parentLink } from '../../spec/references.ts';
import { isText, refusesBlank, TYPES, WIRE_TYPES } from '../../spec/types/types.ts';
import { type Context, LONGEST_LIST, type TypeSchema, type Value } from '../../spec/types/wire-type.ts';
import { parseForm } from '../../spec/wire/form.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Draft, MOST_VIOLATIONS, pointerTo, type Violation } from '../engine/violation.ts';
import { mediaTypeOf } from '../http/http.ts';
import { BLANK, describeErrors, describeUnknown, show } from './messages.ts';

/** The media types of bodies, by `request.encoding`. */
export const MEDIA_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

// Maximum number of levels in a body. An order with lines with links has four.
const DEEPEST = 16;

/** Maximum number of levels in other JSON, so that recursive code does not exceed the stack. */
export const DEEPEST_JSON = 100;
export const TOO_DEEP = `has more than ${DEEPEST_JSON} levels of nesting. Use fewer.`;

/** Returns the fields in a body, or the reason why it has none. */
export function readBody(
  bytes: Uint8Array | undefined,
  mediaType: string | undefined,
  encoding: Profile['request.encoding'],
): RecordValues | string {
  const length = bytes?.byteLength ?? 0;
  // A form without fields has no bytes, and needs no type.
  if (encoding === 'form' && length === 0) return {};
  const expected = MEDIA_TYPES[encoding];
  const found = mediaTypeOf(mediaType);
  if (found !== expected)
    return `The request needs the media type ${expected}, but has ${found ?? mediaType ?? 'none'}.`;
  if (bytes === undefined || length === 0) return 'The body must be a JSON object, but is empty.';
  if (!isUtf8(bytes)) return 'The body is not valid UTF-8.';
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString();
  if (encoding === 'json') return readJson(text);
  try {
    return parseForm(text) as RecordValues;
  } catch (error) {
    return `The body is not a valid form: ${(error as Error).message}.`;
  }
}

function readJson(text: string): RecordValues | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `The body is not valid JSON: ${(error as Error).message}.`;
  }
  if (!isFields(value)) return `The body must be a JSON object, but is ${show(value)}.`;
  return isDeeper(value, DEEPEST) ? `The body has more than ${DEEPEST} levels of nesting.` : value;
}

export function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

export function isFields(value: unknown): value is RecordValues {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

type Validate = (value: unknown) => Violation[];

/** The compiled schemas of values in all mocks of the process, by the text of the schema. */
const ofSchema = new Map<string, Validate>();
let ofValues: Ajv2020 | undefined;

/** Returns a function that checks a value in its wire form. It compiles a schema on its first use. */
export function createValueValidators(profile: Profile): (field: Field, value: unknown) => Violation[] {
  const ofField = onceFor((field: Field): Validate => {
    const schema = WIRE_TYPES[field.type].schema({ field, profile });
    const key = JSON.stringify(schema);
    const known = ofSchema.get(key);
    if (known) return known;
    ofValues ??= createValidator();
    const compiled = ofValues.compile(schema);
    const validate: Validate = (value) => (compiled(value) ? [] : describeErrors(compiled.errors ?? []));
    ofSchema.set(key, validate);
    return validate;
  });
  return (field, value) => ofField(field)(value);
}

function createValidator(): Ajv2020 {
  const ajv = createAjv({
    allErrors: true,
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    // Otherwise, each body would have fields such as `toString`.
    ownProperties: true,
    // The kit generates all schemas, and checks them then.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  // A larger JSON number is no longer the one that was sent.
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
  return ajv;
}

const NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** Reads the text of a value. An invalid text stays one, and an empty text is null, except in text fields. */
export function readTextValue(field: Field, profile: Profile, text: Value): Value {
  if (text === '') return isText(field) ? text : null;
  return readText(WIRE_TYPES[field.type].schema({ field, profile }), text);
}

/** Reads a text as a value of a schema. Returns a text that is none as it is. */
export function readText(schema: TypeSchema, text: Value): Value {
  if (Array.isArray(text)) return text.map((item) => readText(schema.items ?? schema, item));
  if (text !== null && typeof text === 'object') {
    const members = Object.entries(text).map(([name, value]) => {
      const member = Object.entries(schema.properties ?? {}).find(([known]) => known === name)?.[1];
      return [name, member ? readText(member, value) : value] as const;
    });
    return Object.fromEntries(members);
  }
  if (typeof text !== 'string') return text;
  switch (schema.type) {
    case 'integer':
    case 'number':
      return NUMBER.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : text);
    default:
      return text;
  }
}

export type ReadDraft = (model: Model, operation: 'create' | 'update', fields: RecordValues) => Draft;

/** Returns a value in the form that the profile can show, or the reason why it has none. */
type Convert = (field: Field, value: Value) => { readonly value: Value } | { readonly wrong: string };

/** A record, or a line of it, that is being read. */
type ReadingPlace = {
  readonly operation: 'create' | 'update';
  readonly pointer: string;
  readonly isNew: boolean;
  /** In a line: the field with the ID of its parent, which the service sets. */
  readonly link?: string | undefined;
  readonly violations: Violation[];
  readonly ignored: string[];
};

/** The facts about a field that do not depend on its values. */
type Part = Context & {
  readonly line: Model | undefined;
  readonly acceptsIds: boolean;
  readonly isRequired: boolean;
  readonly refusesBlank: boolean;
};

/**
 * Returns a function that checks the fields of a body, also in lines, and converts them to canonical values. `forms` is
 * the profile of their wire forms. Fixtures have those of the default profile, and `convert`.
 */
export function createDraftReader(
  contract: Contract,
  forms = contract.profile,
  convert?: Convert,
): ReadDraft {
  const { catalogue, profile, references } = contract;
  const isFixture = convert !== undefined;
  const isForm = forms['request.encoding'] === 'form';
  const validate = createValueValidators(forms);
  const planOf = onceFor((model: Model) => {
    const own = profileAt(profile, model.name);
    const parts = model.fields.map(
      (field): Part => ({
        field,
        profile: profileAt(forms, field.key),
        line: catalogue.models.get(field.lines ?? ''),
        acceptsIds: profileAt(profile, field.key)['types.lines'] === 'ids',
        isRequired: field.required && !field.readonly,
        refusesBlank: refusesBlank(field, profile),
      }),
    );
    return {
      parts,
      byName: new Map(parts.map((part) => [part.field.name, part])),
      required: parts.filter(({ isRequired }) => isRequired).map(({ field }) => field.name),
      writable: parts.filter(({ field }) => !field.readonly).map(({ field }) => field.name),
      isPartial: isFixture || own['request.update'] === 'partial',
      ignoresReadonly: !isFixture && own['request.readonlyFields'] === 'ignore',
      ignoresUnknown: !isFixture && own['request.unknownFields'] === 'ignore',
    };
  });
  return (model, operation, sent) => {
    const [violations, ignored]: [Violation[], string[]] = [[], []];
    const isNew = operation === 'create' || !planOf(model).isPartial;
    const values = readFields(model, sent, { operation, pointer: '', isNew, violations, ignored });
    return { values, violations, ignored, isPartial: isFixture };
  };

  function readFields(model: Model, sent: RecordValues, place: ReadingPlace): RecordValues {
    const { ignored, isNew, link, operation, pointer, violations } = place;
    // The response lists only the first violations, and a search for all of them would delay other clients.
    if (violations.length >= MOST_VIOLATIONS) return {};
    const { byName, ignoresReadonly, ignoresUnknown, parts, required, writable } = planOf(model);
    // The readonly ID of a line names the line to change.
    const namesLine = pointer !== '' && (isFixture || (operation === 'update' && ignoresReadonly));
    const isRead = ({ field }: Part) => !field.readonly || (namesLine && field.name === 'id');
    const note = (name: string, message: string) =>
      violations.push({ pointer: pointerTo(pointer, name), message });
    const unknown: string[] = [];
    for (const name in sent) {
      const part = byName.get(name);
      if (sent[name] === undefined || (part && isRead(part))) continue;
      if (part ? ignoresReadonly : ignoresUnknown) {
        if (ignored.length < MOST_VIOLATIONS) ignored.push(pointerTo(pointer, name));
      } else if (part) note(name, 'is readonly and must not be sent');
      else unknown.push(name);
    }
    for (const name of isNew ? required : [])
      if (name !== link && valueIn(sent, name) === undefined) note(name, 'is required');
    for (const name of unknown.slice(0, MOST_VIOLATIONS))
      note(name, describeUnknown(name, writable, `writable field${isFixture ? ` of ${model.name}` : ''}`));
    const values: Record<string, Value> = {};
    for (const part of parts) {
      const { name } = part.field;
      const value = valueIn(sent, name);
      if (value === undefined || !isRead(part)) continue;
      const before = violations.length;
      const read = readValue(model, part, value, place);
      if (violations.length === before) values[name] = read;
    }
    return values;
  }

  /** Returns the canonical value; null for an invalid one. */
  function readValue(model: Model, part: Part, sent: Value, place: ReadingPlace): Value {
    const { acceptsIds, field, line } = part;
    if (Array.isArray(sent) && sent.length > LONGEST_LIST)
      return refuse(place, field, `must have at most ${LONGEST_LIST} items, but has ${sent.length}`);
    if (line && Array.isArray(sent) && (isFixture || !acceptsIds)) {
      const pointer = pointerTo(place.pointer, field.name);
      const link = parentLink(line, model, references)?.name;
      return sent.map((item: Value, index): Value => {
        if (acceptsIds && Number.isSafeInteger(item)) return item;
        if (!isFields(item)) {
          const expected = acceptsIds ? 'an ID or an object' : 'an object';
          return refuse(place, field, `must be ${expected}, but is ${show(item)}`, pointerTo('', index));
        }
        const isNew = !isFixture || place.operation === 'create' || item.id === undefined;
        return readFields(line, item, { ...place, isNew, pointer: pointerTo(pointer, index), link });
      });
    }
    const wire = isForm ? readTextValue(field, part.profile, sent) : sent;
    if (wire === null)
      return part.isRequired || field.name === 'id'
        ? refuse(place, field, 'must have a value, but is null')
        : null;
    if (wire === '' && part.refusesBlank) return refuse(place, field, BLANK);
    const wrong = validate(field, wire);
    for (const one of wrong) refuse(place, field, one.message, one.pointer);
    if (wrong.length > 0) return null;
    try {
      const value = TYPES[field.type].decode(wire, part);
      const shown = convert?.(field, value) ?? { value };
      if ('value' in shown) return shown.value;
      return refuse(place, field, `does not fit the profile of the mock: it ${shown.wrong.trim()}`);
    } catch (error) {
      return refuse(place, field, `is invalid: ${(error as Error).message}`);
    }
  }
}

/** Notes a violation in the value of a field. Returns null, in place of the value. */
function refuse(place: ReadingPlace, { name }: Field, message: string, within = ''): null {
  place.violations.push({ pointer: pointerTo(place.pointer, name) + within, message });
  return null;
}

function valueIn(sent: RecordValues, name: string): Value | undefined {
  return Object.hasOwn(sent, name) ? sent[name] : undefined;
}
