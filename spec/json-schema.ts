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
