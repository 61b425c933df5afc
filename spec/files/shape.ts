import { readFileSync } from 'node:fs';
import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';
import { createAjv } from '../json-schema.ts';
import { splitPointer } from '../wire/json-pointer.ts';
import { kitFile } from './kit-file.ts';
import type { Place } from './place.ts';
import { closest, unexpected } from './usage-error.ts';

let ajv: Ajv2020 | undefined;

/**
 * Holds a file against its JSON Schema: `spec/schemas/NAME.schema.json` for NAME, and what stands in its `$defs` for
 * `NAME#/$defs/…`. Throws UsageError that begins with the file and the line of the value that is wrong.
 */
export function checkShape(file: Place, name: string): void {
  if (file.isBuilt) return;
  const [schema = ''] = name.split('#');
  ajv ??= createAjv({ strict: false, verbose: true, meta: false, validateSchema: false });
  if (!ajv.getSchema(schema)) ajv.addSchema(readSchema(schema), schema);
  const isValid = ajv.getSchema(name);
  if (!isValid) throw new Error(`there is no schema ${name}`);
  if (isValid(file.value)) return;
  const [error] = isValid.errors ?? [];
  if (error) complain(file, error);
}

function readSchema(name: string): object {
  return JSON.parse(readFileSync(kitFile(`spec/schemas/${name}.schema.json`), 'utf8'));
}

/** Names what was found, what was expected, and the likely typo. */
function complain(file: Place, { instancePath, keyword, message, params, parentSchema }: ErrorObject): never {
  const steps = splitPointer(instancePath);
  const place = steps.reduce(stepInto, file);
  const known = Object.keys(parentSchema?.properties ?? {});
  switch (keyword) {
    case 'additionalProperties': {
      const key = String(params.additionalProperty);
      return stepInto(place, key).fail(unexpected('the key', key, known));
    }
    case 'required': {
      // A key that is misspelt is missing too; its spelling says more.
      const [misspelt] = place.entries().filter(([key]) => !known.includes(String(key)));
      if (misspelt && parentSchema?.additionalProperties === false)
        return misspelt[1].fail(unexpected('the key', String(misspelt[0]), known));
      const { missingProperty: key } = params;
      // What is missing may be there with a typo.
      const stray = Object.keys(place.value ?? {}).find(
        (found) => !known.includes(found) && closest(found, [key]),
      );
      if (stray !== undefined) return stepInto(place, stray).fail(unexpected('the key', stray, known));
      const name = steps.at(-1);
      // An item of a list has no name to call it by.
      if (name === undefined || /^\d+$/.test(name))
        return place.fail(`${key} is missing; expected { ${known.join(', ')} }`);
      return place.fail(`${name} has no ${key}; expected ${kindOf(parentSchema?.properties?.[key]?.type)}`);
    }
    case 'type':
      return place.fail(`found ${describe(place.value)}; expected ${kindOf([params.type].flat()[0])}`);
    default:
      // A schema may say in words what it takes.
      return place.fail(
        `${steps.at(-1) ?? 'the file'} is ${describe(place.value)}; ${
          parentSchema?.['x-expected'] ? `expected ${parentSchema['x-expected']}` : `it ${message}`
        }`,
      );
  }
}

function stepInto(place: Place, step: string): Place {
  const child = Array.isArray(place.value)
    ? place.items()[Number(step)]
    : place.entries().find(([key]) => String(key) === step)?.[1];
  return child ?? place;
}

const KINDS: Readonly<Record<string, string>> = { object: 'a mapping', array: 'a list', string: 'a text' };

function kindOf(type: unknown): string {
  return KINDS[String(type)] ?? 'a value';
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value !== null && typeof value === 'object') return 'a mapping';
  return value === null || value === undefined ? 'nothing' : JSON.stringify(value);
}
