import type { OpenAPIV3_1 } from 'openapi-types';
import { expect, it } from 'vitest';
import { validateDocument } from './validate.ts';

const info = { title: 'A document', version: '1' };
const withSchemas = (schemas: Record<string, OpenAPIV3_1.SchemaObject>): OpenAPIV3_1.Document => ({
  openapi: '3.1.0',
  info,
  paths: {},
  components: { schemas },
});

it('takes a valid document and leaves it as it is', async () => {
  const document = withSchemas({
    One: { type: 'string' },
    Other: { type: 'array', items: { $ref: '#/components/schemas/One' } },
  });
  const before = structuredClone(document);
  await validateDocument(document);
  expect(document).toEqual(before);
});

it('rejects what the specification does not allow', async () => {
  const document = { openapi: '3.1.0', info: { title: 'No version' }, paths: {} } as OpenAPIV3_1.Document;
  await expect(validateDocument(document)).rejects.toThrow(/version/);
});

it('rejects a reference to nothing', async () => {
  const document = withSchemas({ One: { type: 'array', items: { $ref: '#/components/schemas/None' } } });
  await expect(validateDocument(document)).rejects.toThrow(/None/);
});

it('rejects schemas that refer to each other in a circle', async () => {
  const document = withSchemas({ One: { type: 'array', items: { $ref: '#/components/schemas/One' } } });
  await expect(validateDocument(document)).rejects.toThrow(/circular/i);
});
