import { isUtf8 } from 'node:buffer';
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { EXTENSIONS } from '../../generator/generate.ts';
import { templateOf } from '../../spec/binding.ts';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { createAjv } from '../../spec/json-schema.ts';
import { type Profile, profileAt } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import { LONGEST_LIST, type Value } from '../../spec/types/wire-type.ts';
import { parseForm } from '../../spec/wire/form.ts';
import { joinPointer } from '../../spec/wire/json-pointer.ts';
import type { RecordCodec, RecordValues } from '../../spec/wire/record-codec.ts';
import { type Draft, MOST_VIOLATIONS, pointerTo, type Violation } from '../engine/violation.ts';
import { mediaTypeOf } from '../http/http.ts';
import { describeErrors } from './messages.ts';
import { readTextValue } from './text-value.ts';

/** The sent fields of a body, or the reason why they can't be read. */
export type Body =
  | { readonly kind: 'fields'; readonly fields: Readonly<Record<string, Value>> }
  | { readonly kind: 'unparsable'; readonly detail: string };

const MEDIA_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

// Maximum number of levels in a body. An order with lines with links has four.
const DEEPEST = 16;

/** Maximum number of levels in other JSON, so that recursive code does not exceed the stack. */
export const DEEPEST_JSON = 100;
export const TOO_DEEP = `has more than ${DEEPEST_JSON} levels of nesting. Use fewer.`;

/** Reads a body in the encoding of the profile (`request.encoding`). */
export function readBody(
  bytes: Uint8Array | undefined,
  mediaType: string | undefined,
  encoding: Profile['request.encoding'],
): Body {
  const length = bytes?.byteLength ?? 0;
  // A form without fields has no bytes, and needs no type.
  if (encoding === 'form' && length === 0) return { kind: 'fields', fields: {} };
  const expected = MEDIA_TYPES[encoding];
  const found = mediaTypeOf(mediaType);
  if (found !== expected)
    return unparsable(
      `The request needs the media type ${expected}, but has ${found ?? mediaType ?? 'none'}.`,
    );
  if (bytes === undefined || length === 0) return unparsable('The body must be a JSON object, but is empty.');
  if (!isUtf8(bytes)) return unparsable('The body is not valid UTF-8.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString();
  return encoding === 'json' ? readJson(text) : readForm(text);
}

function readJson(text: string): Body {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return unparsable(`The body is not valid JSON: ${(error as Error).message}.`);
  }
  if (!isFields(value)) return unparsable(`The body must be a JSON object, but is ${describe(value)}.`);
  if (isDeeper(value, DEEPEST)) return unparsable(`The body has more than ${DEEPEST} levels of nesting.`);
  return { kind: 'fields', fields: value };
}

function readForm(text: string): Body {
  try {
    const fields: unknown = parseForm(text);
    return isFields(fields) ? { kind: 'fields', fields } : unparsable('The body is not a valid form.');
  } catch (error) {
    return unparsable(`The body is not a valid form: ${(error as Error).message}.`);
  }
}

/** Whether lists and objects are nested in more than so many levels. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  return value === null ? 'null' : `a ${typeof value}`;
}

function unparsable(detail: string): Body {
  return { kind: 'unparsable', detail };
}

/** The members of a body that lead to a value, such as `lines`, 0, `units`. */
export type Place = readonly (string | number)[];

/** The fields of each model by name. */
type FieldIndex = ReadonlyMap<string, ReadonlyMap<string, Field>>;

/** Returns the profile of each model by name. */
export function profilesByModel({ models }: Catalogue, profile: Profile): ReadonlyMap<string, Profile> {
  return new Map([...models.keys()].map((name) => [name, profileAt(profile, name)]));
}

export function indexFields({ models }: Catalogue): FieldIndex {
  return new Map(
    [...models.values()].map(({ fields, name }) => [
      name,
      new Map(fields.map((field) => [field.name, field])),
    ]),
  );
}

/**
 * Returns the fields of a body in the form of its schema: without readonly fields, except the IDs of lines to update,
 * and with the values for the strings of a form, also in lines. Returns the same object if nothing differs.
 */
export function prepareFields(
  model: Model['name'],
  sent: RecordValues,
  options: {
    readonly index: FieldIndex;
    readonly profile: Profile;
    /** In an update, the readonly ID of a line names the line, so it stays for the schema to judge. */
    readonly operation: 'create' | 'update';
    onReadonly(place: Place): void;
    /** Called for an unknown field. Returns whether it stays for the schema to judge. */
    onUnknown?(place: Place): 'keep' | 'leave-out';
    /** Called for a list that is too long. An empty one replaces it. If absent, lists have any length. */
    onLongList?(place: Place, length: number): void;
  },
): RecordValues {
  const { index, onLongList, onReadonly, onUnknown, operation, profile } = options;
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
    // Not assigned one by one, because a field can have the name __proto__.
    return differs ? Object.fromEntries(kept) : values;
  }

  function prepareValue(field: Field, value: Value, place: Place): Value {
    if (onLongList && Array.isArray(value) && value.length > LONGEST_LIST) {
      onLongList(place, value.length);
      return [];
    }
    const { lines } = field;
    if (
      lines !== undefined &&
      Array.isArray(value) &&
      profileAt(profile, field.key)['types.lines'] === 'objects'
    )
      return value.map((item, at) => (isFields(item) ? prepare(lines, item, [...place, at]) : item));
    return isForm ? readTextValue(field, profile, value) : value;
  }
}

export function isFields(value: unknown): value is RecordValues {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export type ReadDraft = (model: Model, operation: 'create' | 'update', fields: RecordValues) => Draft;

/** The facts for reading a draft. */
type Reading = { readonly profile: Profile; readonly codec: RecordCodec; readonly index: FieldIndex };

/** Returns a function that checks the fields of a body by its schema, and converts them to canonical values. */
export function createDraftReader(
  catalogue: Catalogue,
  profile: Profile,
  codec: RecordCodec,
  validate: ReturnType<typeof createBodyValidator>,
): ReadDraft {
  const index = indexFields(catalogue);
  const profiles = profilesByModel(catalogue, profile);
  return (model, operation, sent) => {
    const own = profiles.get(model.name) ?? profile;
    const reading: Reading = { profile: own, codec, index };
    const violations: Violation[] = [];
    const ignored: string[] = [];
    let unknown = 0;
    const refuse = (place: Place, message: string) =>
      violations.push({ pointer: joinPointer(place), message });
    const fields = prepareFields(model.name, sent, {
      ...reading,
      operation,
      onReadonly: (place) => {
        if (own['request.readonlyFields'] === 'reject') refuse(place, 'is readonly and must not be sent');
        else ignored.push(joinPointer(place));
      },
      onUnknown: (place) => {
        // A client with more gets no more violations, and must not delay other clients.
        unknown += 1;
        if (unknown > MOST_VIOLATIONS) return 'leave-out';
        // Otherwise, the schema refuses them.
        if (own['request.unknownFields'] === 'ignore') ignored.push(joinPointer(place));
        return 'keep';
      },
      onLongList: (place, length) =>
        refuse(place, `must have at most ${LONGEST_LIST} items, but has ${length}`),
    });
    violations.push(...validate(model, operation, fields));
    const decoded = violations.length === 0 ? decodeAll(model, fields, reading) : undefined;
    if (decoded) return { values: decoded, violations, ignored };
    return { ...salvage(model, fields, violations, reading), ignored };
  };
}

/** Returns canonical values; undefined if a value has a valid form without a meaning, such as February 31. */
function decodeAll(model: Model, fields: RecordValues, { codec }: Reading): RecordValues | undefined {
  try {
    return codec.decode(model.name, fields);
  } catch {
    return undefined;
  }
}

/** Returns the valid values, and the violations of the others. */
function salvage(
  model: Model,
  fields: RecordValues,
  found: readonly Violation[],
  { codec, index }: Reading,
): Draft {
  const wrong = new Set(found.map(({ pointer }) => pointer.split('/', 2).join('/')));
  const violations = new Map<string, Violation>();
  for (const violation of found)
    if (!violations.has(violation.pointer)) violations.set(violation.pointer, violation);
  const values: Record<string, Value> = {};
  for (const [name, value] of Object.entries(fields)) {
    const pointer = pointerTo('', name);
    if (wrong.has(pointer) || !index.get(model.name)?.has(name)) continue;
    const meaningless = refuseMeaning(model.name, name, value, pointer, { codec, index });
    for (const violation of meaningless) violations.set(violation.pointer, violation);
    if (meaningless.length === 0) Object.assign(values, codec.decode(model.name, { [name]: value }));
  }
  return { values, violations: [...violations.values()] };
}

/** Returns the violations of values with a valid form without a meaning, at the innermost field. */
function refuseMeaning(
  model: string,
  name: string,
  value: Value,
  pointer: string,
  reading: Pick<Reading, 'codec' | 'index'>,
): Violation[] {
  const lines = reading.index.get(model)?.get(name)?.lines;
  if (lines !== undefined && Array.isArray(value))
    return value.flatMap((item, at) =>
      Object.entries(isFields(item) ? item : {}).flatMap(([inner, innerValue]) =>
        refuseMeaning(lines, inner, innerValue, pointerTo(pointerTo(pointer, at), inner), reading),
      ),
    );
  try {
    reading.codec.decode(model, { [name]: value });
    return [];
  } catch (error) {
    return [{ pointer, message: `is invalid: ${(error as Error).message}` }];
  }
}

/** Returns the violations of a value. */
type Validate = (value: unknown) => Violation[];

type Documented = { readonly paths: object; readonly components: object };

/**
 * Returns a function that checks the body of a create or an update by its schema in the document. It compiles a schema
 * on its first use, because compiling all of them takes longer than the rest of a start.
 */
export function createBodyValidator(document: () => Documented, { base }: Catalogue) {
  let ajv: Ajv2020 | undefined;
  const validators = { create: new Map<Model, Validate>(), update: new Map<Model, Validate>() };
  return (model: Model, operation: 'create' | 'update', body: unknown): Violation[] => {
    const known = validators[operation];
    const validate = known.get(model) ?? compile(model, operation);
    known.set(model, validate);
    return validate(body);
  };

  function compile(model: Model, operation: 'create' | 'update'): Validate {
    if (!ajv) {
      ajv = createValidator();
      ajv.addSchema({ components: document().components }, 'contract', false, false);
    }
    return toValidate(ajv.compile(bodySchema(templateOf(base, model, operation), document())));
  }
}

function bodySchema(path: string, { paths }: Documented): object {
  const item = member(paths, path);
  const content = member(member(member(item, 'post'), 'requestBody'), 'content');
  const [media] = Object.values(content);
  const schema = member(media, 'schema');
  const reference: unknown = Object.entries(schema).find(([name]) => name === '$ref')?.[1];
  if (typeof reference !== 'string')
    throw new TypeError(`The document has no named schema for the body of ${path}.`);
  return { $ref: `contract${reference}` };
}

function member(value: object, name: string): object {
  const found: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  if (found !== null && typeof found === 'object') return found;
  throw new TypeError(`The document lacks ${name}.`);
}

/** The compiled schemas of values in all mocks of the process, by the text of the schema. */
const ofSchema = new Map<string, Validate>();
let ofValues: Ajv2020 | undefined;

/** Returns a function that checks a value in its wire form. It compiles a schema on its first use. */
export function createValueValidators(profile: Profile): (field: Field, value: unknown) => Violation[] {
  const ofField = new WeakMap<Field, Validate>();
  return (field, value) => {
    const validate = ofField.get(field) ?? compileValue(WIRE_TYPES[field.type].schema({ field, profile }));
    ofField.set(field, validate);
    return validate(value);
  };
}

function compileValue(schema: object): Validate {
  const key = JSON.stringify(schema);
  ofValues ??= createValidator();
  const validate = ofSchema.get(key) ?? toValidate(ofValues.compile(schema));
  ofSchema.set(key, validate);
  return validate;
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
  ajv.addVocabulary(['components', ...EXTENSIONS]);
  // A larger JSON number is no longer the one that was sent.
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
  return ajv;
}

function toValidate(validate: ValidateFunction): Validate {
  return (value) => (validate(value) ? [] : describeErrors(validate.errors ?? []));
}
