import type { ErrorObject } from 'ajv';
import { closest } from '../../spec/files/usage-error.ts';
import { pointerTo, type Violation } from '../engine/violation.ts';

/** More would help nobody, and a body of a megabyte can hold a hundred thousand mistakes. */
const MOST_VIOLATIONS = 100;

/** What Ajv found, in plain words, one violation a pointer, in the order of the schema; `kind` is what a member is. */
export function describeErrors(errors: readonly ErrorObject[], kind = 'writable field'): Violation[] {
  const found = new Map<string, { readonly message: string; readonly weight: number }>();
  for (const error of errors) {
    // Why a name is refused says no more than that it is.
    if (error.propertyName !== undefined) continue;
    const pointer = pointerOf(error);
    const known = found.get(pointer);
    // A nullable value is refused twice: for not being null too, which helps nobody.
    const weight = weightOf(error);
    if (known && known.weight >= weight) continue;
    if (!known && found.size === MOST_VIOLATIONS) continue;
    found.set(pointer, { message: describeError(error, kind), weight });
  }
  return [...found].map(([pointer, { message }]) => ({ pointer, message }));
}

function pointerOf(error: ErrorObject): string {
  const { missingProperty, additionalProperty, propertyName } = error.params as Record<string, unknown>;
  const member = missingProperty ?? additionalProperty ?? propertyName;
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
    case 'propertyNames':
      return describeUnknown(
        params.additionalProperty ?? params.propertyName,
        Object.keys(parentSchema?.properties ?? {}),
        kind,
      );
    case 'enum':
      return `is ${show(data)}; expected one of ${(params.allowedValues as unknown[]).filter((value) => value !== null).join(', ')}`;
    case 'type':
      return data === null
        ? 'is null, and a value is required'
        : `is ${show(data)}; expected ${KINDS[words(params.type)[0] ?? ''] ?? params.type}`;
    case 'format':
      return `is ${show(data)}; expected ${FORMATS[params.format] ?? params.format}`;
    case 'pattern':
      return `is ${show(data)}; expected a text that matches ${params.pattern}`;
    case 'maxLength':
      return `has ${[...String(data)].length} characters; expected at most ${params.limit}`;
    case 'minimum':
      return `is ${show(data)}; expected ${params.limit} or more`;
    case 'maximum':
      return `is ${show(data)}; expected ${params.limit} or less`;
    case 'uniqueItems':
      return `has the same item at ${params.j} and ${params.i}; expected each once`;
    default:
      return `is ${show(data)}; it ${keyword === 'anyOf' ? 'has none of the forms that are allowed' : `breaks ${keyword}`}`;
  }
}

/** The words for a field or parameter that does not exist. */
export function describeUnknown(name: string, known: readonly string[], kind: string): string {
  const near = closest(name, known);
  return `is unknown; expected the name of a ${kind}${near === undefined ? '' : `. Did you mean ${near}?`}`;
}

const KINDS: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

const FORMATS: Readonly<Record<string, string>> = {
  int64: `a whole number of at most ${Number.MAX_SAFE_INTEGER}`,
  date: 'a day such as 2025-10-22',
  'date-time': 'a point in time such as 2025-10-22T09:30:00Z',
  email: 'an email address',
  uri: 'an address such as https://example.test/',
};

function words(type: unknown): string[] {
  return [type].flat().map(String);
}

/** A value as JSON, cut where it gets long. */
export function show(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'nothing');
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
