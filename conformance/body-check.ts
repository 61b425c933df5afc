import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { generateDocument } from '../generator/generate.ts';
import { schemaName } from '../generator/names.ts';
import type { RecordValues } from '../spec/record-codec.ts';
import type { PlanContext } from './plan-context.ts';

/** Throws when a body that should be valid breaks the document: a mistake of the suite, never the target's. */
export type BodyCheck = (kind: 'Create' | 'Update', model: string, body: RecordValues) => void;

export function createBodyCheck({ catalogue, profile, references }: PlanContext): BodyCheck {
  const document = generateDocument(catalogue, profile, references);
  // The document has keywords of OpenAPI and extensions beside those of JSON Schema.
  const ajv = new Ajv2020({ strict: false, validateFormats: true, logger: false });
  formats.default(ajv);
  ajv.addSchema({ $id: 'document', components: document.components });
  const compiled = new Map<string, ValidateFunction>();
  return (kind, model, body) => {
    const name = schemaName(model) + kind;
    const valid = compiled.get(name) ?? ajv.compile({ $ref: `document#/components/schemas/${name}` });
    compiled.set(name, valid);
    if (!valid(body))
      throw new Error(
        `the suite was about to send a body that breaks ${name}: ${ajv.errorsText(valid.errors)}`,
      );
  };
}
