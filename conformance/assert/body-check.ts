import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { generateWriteSchemas } from '../../generator/generate.ts';
import { schemaName } from '../../spec/binding.ts';
import type { Contract } from '../../spec/contract.ts';
import { createAjv } from '../../spec/json-schema.ts';
import { onceFor } from '../../spec/once-for.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** Throws when a body that should be valid breaks the document: a mistake of the suite, never the target's. */
export type BodyCheck = (kind: 'Create' | 'Update', model: string, body: RecordValues) => void;

type Schema = Readonly<Record<string, unknown>>;

/** Whether a body obeys a schema, where that is quickly told. */
type QuickCheck = (body: RecordValues) => boolean;

export function createBodyCheck(contract: Contract): BodyCheck {
  // Where readonly fields are ignored the document takes them, and the suite sends none by mistake all the same.
  const profile = { ...contract.profile, 'request.readonlyFields': 'reject' } as const;
  const ajv = createAjv({
    // The document also has keywords of OpenAPI and extensions.
    strict: false,
    logger: false,
    // The generator wrote the schemas, and each one checks only a few hundred bodies, so preparation doesn't pay off.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  const components = generateWriteSchemas({ ...contract, profile });
  ajv.addSchema({ $id: 'document', components });
  const isWell = createQuickCheck(ajv);
  const quick = new Map<string, QuickCheck>();
  return (kind, model, body) => {
    const name = schemaName(model) + kind;
    const check = quick.get(name) ?? isWell(components.schemas?.[name] as Schema | undefined);
    quick.set(name, check);
    if (check(body)) return;
    const valid = ajv.getSchema(`document#/components/schemas/${name}`);
    if (!valid) throw new Error(`The document has no schema ${name}.`);
    if (!valid(body))
      throw new Error(
        `The suite created a body that does not match ${name}: ${ajv.errorsText(valid.errors)}. This is a bug; please report it.`,
      );
  };
}

const QUICK = ['type', 'required', 'properties', 'additionalProperties'];

/**
 * Checks bodies member by member: all models together have a few dozen schemas of members, and to compile one for each
 * body takes longer than all that is checked with it. What is not well by this may be well all the same.
 */
function createQuickCheck(ajv: Ajv2020): (schema: Schema | undefined) => QuickCheck {
  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = onceFor(compile);
  return (schema = {}) => {
    const { additionalProperties, properties, required = [], type } = schema;
    const isQuick = Object.keys(withoutNotes(schema)).every((keyword) => QUICK.includes(keyword));
    if (!isQuick || type !== 'object' || additionalProperties !== false) return () => false;
    const members = new Map(Object.entries(properties as Readonly<Record<string, Schema>>));
    return (body) =>
      (required as readonly string[]).every((name) => Object.hasOwn(body, name)) &&
      Object.entries(body).every(([name, value]) => {
        const member = members.get(name);
        return member !== undefined && validatorOf(member)(value);
      });
  };

  function compile(member: Schema): ValidateFunction {
    const text = JSON.stringify(withoutNotes(member)).replaceAll('"#/', '"document#/');
    const valid = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, valid);
    return valid;
  }
}

/** Returns a schema without its descriptions and examples. */
function withoutNotes(schema: Schema): Schema {
  const isNote = (keyword: string) => keyword.startsWith('x-') || ['title', 'description'].includes(keyword);
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !isNote(keyword)));
}
