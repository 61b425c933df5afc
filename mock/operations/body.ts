import { isUtf8 } from 'node:buffer';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { Field } from '../../spec/catalogue/field.ts';
import { createAjv } from '../../spec/json-schema.ts';
import { onceFor } from '../../spec/once-for.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { parseForm } from '../../spec/wire/form.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Violation } from '../engine/violation.ts';
import { mediaTypeOf } from '../http/http.ts';
import { describeErrors } from './messages.ts';

/** The sent fields of a body, or the reason why they can't be read. */
export type Body =
  | { readonly kind: 'fields'; readonly fields: Readonly<Record<string, Value>> }
  | { readonly kind: 'unparsable'; readonly detail: string };

/** The media types of bodies, by `request.encoding`. */
export const MEDIA_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

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

/** Whether lists and objects are nested deeper than a limit. */
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

export function isFields(value: unknown): value is RecordValues {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Returns the violations of a value. */
type Validate = (value: unknown) => Violation[];

/** The compiled schemas of values in all mocks of the process, by the text of the schema. */
const ofSchema = new Map<string, Validate>();
let ofValues: Ajv2020 | undefined;

/** Returns a function that checks a value in its wire form. It compiles a schema on its first use. */
export function createValueValidators(profile: Profile): (field: Field, value: unknown) => Violation[] {
  const ofField = onceFor((field: Field) => compileValue(WIRE_TYPES[field.type].schema({ field, profile })));
  return (field, value) => ofField(field)(value);
}

function compileValue(schema: object): Validate {
  const key = JSON.stringify(schema);
  ofValues ??= createValidator();
  const known = ofSchema.get(key);
  if (known) return known;
  const compiled = ofValues.compile(schema);
  const validate: Validate = (value) => (compiled(value) ? [] : describeErrors(compiled.errors ?? []));
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
  // A larger JSON number is no longer the one that was sent.
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
  return ajv;
}
