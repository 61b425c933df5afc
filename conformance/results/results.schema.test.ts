import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { bareResults, largeResults, sampleResults } from '../../testing/sample-results.ts';
import { OUTCOMES } from './results.ts';

const schema = JSON.parse(readFileSync(join(import.meta.dirname, '../results.schema.json'), 'utf8'));
const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats.default(ajv);
const validate = ajv.compile(schema);

/** As a reader of the file gets it. */
function written(results: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(results));
}

test.each([
  ['with all optional members', { ...sampleResults(), lost: 'nothing listens there' }],
  ['without optional members', bareResults()],
  ['of all models', largeResults(20)],
])('results %s match the schema', (_, results) => {
  validate(written(results));
  expect(validate.errors).toBeNull();
});

test('the schema has a count for each outcome', () => {
  expect(Object.keys(schema.properties.counts.properties)).toEqual([...OUTCOMES]);
  expect(schema.$defs.case.properties.outcome.enum).toEqual([...OUTCOMES]);
});

test('results without one of their members are rejected', () => {
  for (const name of Object.keys(written(sampleResults()))) {
    const { [name]: _, ...rest } = written(sampleResults());
    expect({ name, isValid: validate(rest) }).toEqual({ name, isValid: false });
  }
});

test('each object in the schema lists its keys and rejects others', () => {
  const results = written(sampleResults());
  for (const place of objectsIn(results)) {
    // Headers are the one object whose keys are the target's.
    place.surprise = 1;
    expect(validate(results)).toBe(false);
    delete place.surprise;
  }
  expect(validate(results)).toBe(true);
});

function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inner : [value as Record<string, unknown>, ...inner];
}
