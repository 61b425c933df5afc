import { readFileSync } from 'node:fs';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv } from '../json-schema.ts';
import { splitPointer } from '../wire/json-pointer.ts';
import { showValue } from './check-options.ts';
import { kitFile } from './kit-file.ts';
import { describe, type Place } from './place.ts';
import { closest, MOST_FOUND, readAll, unexpected } from './usage-error.ts';

let created: Ajv2020 | undefined;

function ajv(): Ajv2020 {
  const trusted = { strict: false, meta: false, validateSchema: false } as const;
  created ??= createAjv({ ...trusted, strictNumbers: true, allErrors: true, verbose: true });
  return created;
}

/**
 * Checks a file against a JSON Schema: `spec/schemas/NAME.schema.json` for NAME, or the part of its `$defs` for
 * `NAME#/$defs/…`. Throws UsageError with one line per mistake, which begins with the file and the line of the value.
 * `misplaced` has the messages for keys that belong elsewhere.
 */
export function checkShape(file: Place, name: string, misplaced: Words['misplaced'] = {}): void {
  if (file.isBuilt) return;
  const [schema = ''] = name.split('#');
  if (!ajv().getSchema(schema))
    ajv().addSchema(JSON.parse(readFileSync(kitFile(`spec/schemas/${schema}.schema.json`), 'utf8')), schema);
  const isValid = ajv().getSchema(name);
  if (!isValid) throw new Error(`There is no schema ${name}.`);
  check(file, isValid, { misplaced });
}

/** Does the same for a value and a schema. Messages call the value `subject`. */
export function checkValue(place: Place, schema: object, subject: string): void {
  check(place, ajv().compile(schema), { subject });
}

type Words = { readonly subject?: string; readonly misplaced?: Readonly<Record<string, string>> };

function check(file: Place, isValid: ValidateFunction, words: Words): void {
  if (isValid(file.value)) return;
  const errors = relevantErrors(isValid.errors ?? []).map((error) => [placeIn(file, error), error] as const);
  const inOrder = errors.toSorted(([one], [other]) => one.line - other.line);
  readAll(inOrder, ([place, error]) => complain(place, error, words));
}

/** Returns the place of an error: a value, or a key and its value. */
function placeIn(file: Place, { instancePath, params }: ErrorObject): Place {
  const key: unknown = params.additionalProperty ?? params.propertyName;
  return [...splitPointer(instancePath), ...(key === undefined ? [] : [String(key)])].reduce(stepInto, file);
}

/** The keywords whose errors say that a value is none of several alternatives. */
const ALTERNATIVES = ['anyOf', 'const', 'enum', 'type'];

/** Returns errors of at most 50 values: of each value one, and of alternatives those inside the one that was meant. */
function relevantErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  const keyOf = ({ params }: ErrorObject) =>
    params.additionalProperty ?? params.missingProperty ?? params.propertyName;
  const ofValues = Map.groupBy(
    // An error of `if` repeats that one of its branches has an error, and `propertyNames` one of a name.
    errors.filter(({ keyword, propertyName }) => keyword !== 'if' && propertyName === undefined),
    (error) => JSON.stringify([error.instancePath, keyOf(error)]),
  );
  const ofEach = [...ofValues.values()].flatMap(
    (all) => all.findLast(({ parentSchema }) => parentSchema?.['x-expected']) ?? all.slice(0, 1),
  );
  const around = ofEach.flatMap(({ instancePath }) =>
    instancePath.split('/').map((_, at, steps) => steps.slice(0, at + 1).join('/')),
  );
  const inside = Map.groupBy(around, (path) => path);
  const isMeant = ({ instancePath, keyword }: ErrorObject) =>
    !ALTERNATIVES.includes(keyword) || inside.get(instancePath)?.length === 1;
  return ofEach.filter(isMeant).slice(0, MOST_FOUND);
}

/** Throws UsageError with the found and the expected value, and the likely typo. */
function complain(
  place: Place,
  { instancePath, keyword, message, params, parentSchema, schema }: ErrorObject,
  { misplaced = {}, subject }: Words,
): never {
  const steps = splitPointer(instancePath);
  const known = Object.keys(parentSchema?.properties ?? {});
  // An item of a list has no name to call it by.
  const name = steps.findLast((step) => !/^\d+$/.test(step));
  const called = [name, subject].filter((word) => word !== undefined).join(' of ') || 'The file';
  const expected = parentSchema?.['x-expected'];
  if (parentSchema?.writeOnly) place.fail(`${called} must be ${expected}.`);
  switch (keyword) {
    case 'additionalProperties': {
      const key = String(params.additionalProperty);
      const reason = Object.hasOwn(misplaced, key) ? misplaced[key] : undefined;
      return place.fail(reason ?? unexpected('key', key, known, subject && `in ${called}`));
    }
    case 'required': {
      const { missingProperty: key } = params;
      // A key that is misspelled is missing too; its spelling says more.
      const isClosed = parentSchema?.additionalProperties === false;
      const [stray] = Object.keys(place.value ?? {}).filter(
        (found) => !known.includes(found) && (isClosed || closest(found, [key])),
      );
      if (stray !== undefined) return stepInto(place, stray).fail(unexpected('key', stray, known));
      if (steps.length === 0 ? subject === undefined : name !== steps.at(-1))
        return place.fail(`${key} is missing. Expected the keys ${known.join(', ')}.`);
      return place.fail(
        `${key} is missing in ${called}. Add ${kindOf(parentSchema?.properties?.[key]?.type)}.`,
      );
    }
    case 'propertyNames':
      return place.fail(
        `The name "${params.propertyName}" is invalid. Use ${Object(schema)['x-expected'] ?? message}.`,
      );
    case 'type':
      if (expected) break;
      return place.refuse(kindOf([params.type].flat()[0]));
    case 'const':
    case 'enum':
      if (expected || (subject === undefined && typeof place.value === 'object')) break;
      return place.fail(
        unexpected('value', place.value, params.allowedValues ?? [params.allowedValue], `for ${called}`),
      );
  }
  // A schema may say in words what it takes. Lists and mappings of a file can have secrets in them.
  const found = subject === undefined ? describe(place.value) : showValue(place.value);
  return place.fail(`${called} ${expected ? `must be ${expected}` : message}, but is ${found}.`);
}

function stepInto(place: Place, step: string): Place {
  const child = Array.isArray(place.value)
    ? place.items()[Number(step)]
    : place.entries().find(([key]) => String(key) === step)?.[1];
  return child ?? place;
}

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'a mapping',
  string: 'a string',
};

function kindOf(type: unknown): string {
  return KINDS[String(type)] ?? 'a value';
}
