import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { EXTENSIONS } from '../../generator/generate.ts';
import { templateOf } from '../../spec/binding.ts';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { createAjv } from '../../spec/json-schema.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Violation } from '../engine/violation.ts';
import { describeErrors } from './messages.ts';

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
