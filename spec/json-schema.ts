import { createRequire } from 'node:module';
import type { Ajv2020, Options } from 'ajv/dist/2020.js';

const require = createRequire(import.meta.url);

/** A validator of JSON Schema 2020-12 that knows the formats. It is loaded when one is needed, which is after most starts. */
export function createAjv(options: Options): Ajv2020 {
  const { Ajv2020 }: typeof import('ajv/dist/2020.js') = require('ajv/dist/2020.js');
  const formats: typeof import('ajv-formats').default = require('ajv-formats');
  const ajv = new Ajv2020(options);
  formats.default(ajv);
  return ajv;
}

/** Whether a value obeys a schema. */
export type Obeys = (wire: unknown) => boolean;

const ofSchema = new Map<string, Obeys>();
let shared: Ajv2020 | undefined;

/**
 * Compiles the schema of a wire type, given as JSON, once in a process: all fields and profiles together have few.
 * Throws where the schema is none.
 */
export function compileWireSchema(schema: string): Obeys {
  // The schemas are the kit's own and check few values each, so they need no validation and no optimization.
  shared ??= createAjv({ strict: true, meta: false, validateSchema: false, code: { optimize: false } });
  const obeys: Obeys = ofSchema.get(schema) ?? shared.compile<unknown>(JSON.parse(schema));
  ofSchema.set(schema, obeys);
  return obeys;
}
