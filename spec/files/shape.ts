import { readFileSync } from 'node:fs';
import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';
import { createAjv } from '../json-schema.ts';
import { splitPointer } from '../wire/json-pointer.ts';
import { kitFile } from './kit-file.ts';
import { describe, type Place } from './place.ts';
import { closest, readAll, unexpected } from './usage-error.ts';

let ajv: Ajv2020 | undefined;

/**
 * Checks a file against a JSON Schema: `spec/schemas/NAME.schema.json` for NAME, or the part of its `$defs` for
 * `NAME#/$defs/…`. Throws UsageError with one line per mistake, which begins with the file and the line of the value.
 * `misplaced` has the messages for keys that belong elsewhere.
 */
export function checkShape(
  file: Place,
  name: string,
  misplaced: Readonly<Record<string, string>> = {},
): void {
  if (file.isBuilt) return;
  const [schema = ''] = name.split('#');
  ajv ??= createAjv({ allErrors: true, strict: false, verbose: true, meta: false, validateSchema: false });
  if (!ajv.getSchema(schema)) ajv.addSchema(readSchema(schema), schema);
  const isValid = ajv.getSchema(name);
  if (!isValid) throw new Error(`There is no schema ${name}.`);
  if (isValid(file.value)) return;
  const errors = relevantErrors(isValid.errors ?? []).map((error) => ({
    ...error,
    place: placeIn(file, error),
  }));
  const inOrder = errors.toSorted((one, other) => lineOf(one.place) - lineOf(other.place));
  readAll(inOrder, (error) => complain(error, misplaced));
}

/** Returns the place of an error: a value, or a key and its value. */
function placeIn(file: Place, { instancePath, params, propertyName }: ErrorObject): Place {
  const key: unknown = params.additionalProperty ?? propertyName;
  const steps = splitPointer(instancePath);
  return (key === undefined ? steps : [...steps, String(key)]).reduce(stepInto, file);
}

function lineOf({ at }: Place): number {
  return Number(at.split(':').at(-1));
}

/** Of several errors of one value, such as those of alternatives, only the first; each key counts as a value. */
function relevantErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  const seen = new Set<string>();
  // An error of these keywords repeats that a part of them has an error.
  const own = errors.filter(({ keyword }) => keyword !== 'if' && keyword !== 'propertyNames');
  return own.filter(({ instancePath, params: { additionalProperty, missingProperty }, propertyName }) => {
    const value = JSON.stringify([instancePath, additionalProperty, missingProperty, propertyName]);
    return !seen.has(value) && seen.add(value);
  });
}

function readSchema(name: string): object {
  return JSON.parse(readFileSync(kitFile(`spec/schemas/${name}.schema.json`), 'utf8'));
}

/** Throws UsageError with the found and the expected value, and the likely typo. */
function complain(
  {
    instancePath,
    keyword,
    message,
    params,
    parentSchema,
    place,
    propertyName,
  }: ErrorObject & { place: Place },
  misplaced: Readonly<Record<string, string>>,
): never {
  const steps = splitPointer(instancePath);
  // An item of a list has no name to call it by.
  const name = steps.findLast((step) => !/^\d+$/.test(step)) ?? 'The file';
  const known = Object.keys(parentSchema?.properties ?? {});
  const expected: string | undefined = parentSchema?.['x-expected'];
  if (propertyName !== undefined)
    place.fail(
      `Invalid key ${JSON.stringify(propertyName)} in ${name}. ${expected ? `Use ${expected}` : `It ${message}`}.`,
    );
  if (parentSchema?.writeOnly) place.fail(`${name} must be ${expected}.`);
  switch (keyword) {
    case 'additionalProperties': {
      const key = String(params.additionalProperty);
      const reason = Object.hasOwn(misplaced, key) ? misplaced[key] : undefined;
      return place.fail(reason ?? unexpected('key', key, known));
    }
    case 'required': {
      // A key that is misspelled is missing too; its spelling says more.
      const [misspelled] = place.entries().filter(([key]) => !known.includes(String(key)));
      if (misspelled && parentSchema?.additionalProperties === false)
        return misspelled[1].fail(unexpected('key', String(misspelled[0]), known));
      const { missingProperty: key } = params;
      // The missing member may exist with a typo.
      const stray = Object.keys(place.value ?? {}).find(
        (found) => !known.includes(found) && closest(found, [key]),
      );
      if (stray !== undefined) return stepInto(place, stray).fail(unexpected('key', stray, known));
      if (steps.at(-1) !== name)
        return place.fail(`${key} is missing. Expected the keys ${known.join(', ')}.`);
      return place.fail(
        `${key} is missing in ${name}. Add ${kindOf(parentSchema?.properties?.[key]?.type)}.`,
      );
    }
    case 'type':
      return place.fail(`Expected ${kindOf([params.type].flat()[0])}, but found ${describe(place.value)}.`);
    default:
      // A schema may say in words what it takes.
      return place.fail(
        `${name} ${expected ? `must be ${expected}` : message}, but is ${describe(place.value)}.`,
      );
  }
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
