import type { Ajv2020 } from 'ajv/dist/2020.js';
import { createAjv } from '../json-schema.ts';

/** Whether a value obeys a schema. */
export type Obeys = (wire: unknown) => boolean;

const ofSchema = new Map<string, Obeys>();
let ajv: Ajv2020 | undefined;

/**
 * Compiles the schema of a wire type, given as JSON, once in a process: all fields and profiles together have few.
 * Throws where the schema is none.
 */
export function compileWireSchema(schema: string): Obeys {
  const known = ofSchema.get(schema);
  if (known) return known;
  // The schemas are the kit's own and check few values each, so they need no validation and no optimization.
  ajv ??= createAjv({ strict: true, meta: false, validateSchema: false, code: { optimize: false } });
  const obeys: Obeys = ajv.compile<unknown>(JSON.parse(schema));
  ofSchema.set(schema, obeys);
  return obeys;
}
