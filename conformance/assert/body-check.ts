import type { ValidateFunction } from 'ajv/dist/2020.js';
import { generateWriteSchemas } from '../../generator/generate.ts';
import { schemaName } from '../../spec/binding.ts';
import type { Contract } from '../../spec/contract.ts';
import { createAjv } from '../../spec/json-schema.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** Throws when a body that should be valid breaks the document: a mistake of the suite, never the target's. */
export type BodyCheck = (kind: 'Create' | 'Update', model: string, body: RecordValues) => void;

export function createBodyCheck(contract: Contract): BodyCheck {
  // Where readonly fields are ignored the document takes them, and the suite sends none by mistake all the same.
  const profile = { ...contract.profile, 'request.readonlyFields': 'reject' } as const;
  const ajv = createAjv({
    // The document has keywords of OpenAPI and extensions beside those of JSON Schema.
    strict: false,
    logger: false,
    // It is the generator's own, and each schema judges a few hundred bodies: what only pays off later is left out.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  ajv.addSchema({ $id: 'document', components: generateWriteSchemas({ ...contract, profile }) });
  const compiled = new Map<string, ValidateFunction>();
  return (kind, model, body) => {
    const name = schemaName(model) + kind;
    const valid = compiled.get(name) ?? ajv.getSchema(`document#/components/schemas/${name}`);
    if (!valid) throw new Error(`the document has no schema ${name}`);
    compiled.set(name, valid);
    if (!valid(body))
      throw new Error(
        `the suite was about to send a body that breaks ${name}: ${ajv.errorsText(valid.errors)}`,
      );
  };
}
