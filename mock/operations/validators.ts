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

/** All that is wrong with a value. */
type Validate = (value: unknown) => Violation[];

/** Checks the body of a create or an update by the document's own schema. */
export type ValidateBody = (model: Model, operation: 'create' | 'update', body: unknown) => Violation[];

type Documented = { readonly paths: object; readonly components: object };

/** Each schema of a body is compiled when it is first used: all of them take longer than all else of a start. */
export function createBodyValidator(document: () => Documented, { base }: Catalogue): ValidateBody {
  let ajv: Ajv2020 | undefined;
  const validators = { create: new Map<Model, Validate>(), update: new Map<Model, Validate>() };
  return (model, operation, body) => {
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

/** Compiled once in a process, by the text of the schema: the values of all mocks have few schemas. */
const ofSchema = new Map<string, Validate>();
let ofValues: Ajv2020 | undefined;

/** Checks single values as they look on the wire under a profile; each schema is compiled when it is first used. */
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
    // A body without a field named like a method of all objects lacks that field.
    ownProperties: true,
    // The schemas are our own, and the document's are held against the meta-schema when it is generated.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  ajv.addVocabulary(['components', ...EXTENSIONS]);
  // JSON numbers beyond this are not the ones that were sent.
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
  return ajv;
}

function toValidate(validate: ValidateFunction): Validate {
  return (value) => (validate(value) ? [] : describeErrors(validate.errors ?? []));
}
