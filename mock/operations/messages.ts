import type { ErrorObject } from 'ajv';
import { closest } from '../../spec/files/usage-error.ts';
import { MOST_VIOLATIONS, pointerTo, type Violation } from '../engine/violation.ts';

/** The message for an empty string in a required field. */
export const BLANK = 'is required, but is empty';

/** Describes what Ajv found: one violation per pointer, in the order of the schema. `kind` names what a member is. */
export function describeErrors(errors: readonly ErrorObject[], kind = 'writable field'): Violation[] {
  const found = new Map<string, { readonly message: string; readonly weight: number }>();
  for (const error of errors) {
    const pointer = pointerOf(error);
    const known = found.get(pointer);
    // Ajv also reports that an invalid value of a nullable field is not null, which is not useful.
    const weight = weightOf(error);
    if (known && known.weight >= weight) continue;
    if (!known && found.size === MOST_VIOLATIONS) continue;
    found.set(pointer, { message: describeError(error, kind), weight });
  }
  return [...found].map(([pointer, { message }]) => ({ pointer, message }));
}

function pointerOf(error: ErrorObject): string {
  const { missingProperty, additionalProperty } = error.params as Record<string, unknown>;
  const member = missingProperty ?? additionalProperty;
  return member === undefined ? error.instancePath : pointerTo(error.instancePath, String(member));
}

function weightOf({ keyword, params }: ErrorObject): number {
  if (keyword === 'anyOf') return 0;
  if (keyword === 'type' && params.type === 'null') return 1;
  return keyword === 'enum' ? 3 : 2;
}

function describeError({ keyword, params, parentSchema, data }: ErrorObject, kind: string): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return describeUnknown(params.additionalProperty, Object.keys(parentSchema?.properties ?? {}), kind);
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).filter((value) => value !== null).join(', ')}, but is ${show(data)}`;
    case 'type':
      return data === null
        ? 'must have a value, but is null'
        : `must be ${KINDS[String([params.type].flat()[0])] ?? params.type}, but is ${show(data)}`;
    case 'format':
      return `must be ${FORMATS[params.format] ?? params.format}, but is ${show(data)}`;
    case 'pattern':
      return `must match the pattern ${params.pattern}, but is ${show(data)}`;
    case 'minLength':
      return BLANK;
    case 'maxLength':
      return `must have at most ${params.limit} characters, but has ${[...String(data)].length}`;
    case 'minimum':
      return `must be at least ${params.limit}, but is ${show(data)}`;
    case 'maximum':
      return `must be at most ${params.limit}, but is ${show(data)}`;
    case 'minProperties':
      return `must have at least one of ${Object.keys(parentSchema?.properties ?? {}).join(', ')}, but is {}`;
    case 'uniqueItems':
      return `must not contain duplicates, but items ${params.j} and ${params.i} are equal`;
    default:
      return `is ${show(data)}, which ${keyword === 'anyOf' ? 'has none of the allowed forms' : `violates the schema keyword ${keyword}`}`;
  }
}

export function describeUnknown(name: string, known: readonly string[], kind: string): string {
  const near = closest(name, known);
  return `is not a known ${kind}${near === undefined ? '' : `. Did you mean ${near}?`}`;
}

const KINDS: Readonly<Record<string, string>> = {
  integer: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

const FORMATS: Readonly<Record<string, string>> = {
  int64: `an integer of at most ${Number.MAX_SAFE_INTEGER}`,
  date: 'a date such as 2025-10-22',
  'date-time': 'a date and time such as 2025-10-22T09:30:00Z',
  email: 'an email address',
  uri: 'a URL such as https://example.test/',
};

/** A value as JSON, cut where it gets long. */
export function show(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'nothing');
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
