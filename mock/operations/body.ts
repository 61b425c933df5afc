import { isUtf8 } from 'node:buffer';
import type { Profile } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { parseForm } from '../../spec/wire/form.ts';
import { mediaTypeOf } from '../http/http.ts';
import { isFields } from './sent-fields.ts';

/** The fields of a body as they were sent, or why they can't be read. */
export type Body =
  | { readonly kind: 'fields'; readonly fields: Readonly<Record<string, Value>> }
  | { readonly kind: 'unparsable'; readonly detail: string };

const MEDIA_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

// An order with lines with links has four levels; deeper ones only exhaust the stack of whoever walks them.
const DEEPEST = 16;

/** How deep other JSON can be nested: what is deeper would exhaust the stack of code that checks, writes, or shows it. */
export const DEEPEST_JSON = 100;
export const TOO_DEEP = `has more than ${DEEPEST_JSON} levels of nesting. Use fewer.`;

/** Reads a body in the encoding of the profile (`request.encoding`). */
export function readBody(
  bytes: Uint8Array | undefined,
  mediaType: string | undefined,
  encoding: Profile['request.encoding'],
): Body {
  const length = bytes?.byteLength ?? 0;
  // A form without fields has no bytes, and then a type says nothing.
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
