import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { EXTENSIONS } from '../../generator/generate.ts';
import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import { describeErrors } from './messages.ts';
import type { Violation } from './violation.ts';

/** All that is wrong with a value. */
type Validate = (value: unknown) => Violation[];

/** The bodies of create and update, checked by the document's own schemas, under `model.operation`. */
export type BodyValidators = ReadonlyMap<string, Validate>;

type Documented = { readonly paths: object; readonly components: object };

/** Compiles every schema of a request body. Throws when one does not compile: the document would be wrong. */
export function compileBodies(document: Documented, catalogue: Catalogue): BodyValidators {
  const ajv = createAjv();
  ajv.addSchema({ components: document.components }, 'contract', false, false);
  const validators = new Map<string, Validate>();
  for (const model of catalogue.models.values())
    for (const operation of ['create', 'update'] as const) {
      if (!model.operations.includes(operation)) continue;
      const path = `${catalogue.base}/${model.name}${operation === 'update' ? '/{id}' : ''}`;
      validators.set(`${model.name}.${operation}`, toValidate(ajv.compile(bodySchema(path, document))));
    }
  return validators;
}

function bodySchema(path: string, { paths }: Documented): object {
  const item = member(paths, path);
  const content = member(member(member(item, 'post'), 'requestBody'), 'content');
  const [media] = Object.values(content);
  const schema = member(media, 'schema');
  const reference: unknown = Object.entries(schema).find(([name]) => name === '$ref')?.[1];
  if (typeof reference !== 'string') throw new TypeError(`${path} has a body without a named schema`);
  return { $ref: `contract${reference}` };
}

function member(value: object, name: string): object {
  const found: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  if (found !== null && typeof found === 'object') return found;
  throw new TypeError(`the document has no ${name} where one belongs`);
}

/** Checks single values as they look on the wire under a profile; equal schemas are compiled once, when first used. */
export function createValueValidators(profile: Profile): (field: Field, value: unknown) => Violation[] {
  const ajv = createAjv();
  const compiled = new Map<string, Validate>();
  return (field, value) => {
    const schema = WIRE_TYPES[field.type].schema({ field, profile });
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? toValidate(ajv.compile(schema));
    compiled.set(key, validate);
    return validate(value);
  };
}

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    // A body without a field named like a method of all objects lacks that field.
    ownProperties: true,
  });
  ajv.addVocabulary(['components', ...EXTENSIONS]);
  formats.default(ajv);
  // JSON numbers beyond this are not the ones that were sent.
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
  return ajv;
}

function toValidate(validate: ValidateFunction): Validate {
  return (value) => (validate(value) ? [] : describeErrors(validate.errors ?? []));
}
