/** Facts of every document, under any profile: servers, number formats, parameters, and responses. */
import { describe, expect, it } from 'vitest';
import { createProfile } from '../spec/profile/profile.ts';
import { demo as records } from '../testing/demo.ts';
import { few, references } from '../testing/mocks/mocks.ts';
import { generateDocument } from './generate.ts';

describe.each<Record<string, unknown>>([
  {},
  { 'response.unset': 'absent', 'errors.form': 'simple' },
  { 'types.currency': 'minor', 'response.record': '/data', 'response.records': '/data/items' },
  { auth: 'bearer', 'list.filter': 'brackets', 'types.select': 'object' },
])('a document under %j', (settings) => {
  const profile = createProfile(settings, few);
  const document = generateDocument({ catalogue: few, profile, references }, { records });
  const operations = Object.values(document.paths).flatMap((item) =>
    (['get', 'post', 'delete'] as const).flatMap((method) => {
      const operation = item?.[method];
      return operation ? [{ method, operation }] : [];
    }),
  );
  const schemas = document.components.schemas as Record<
    string,
    { required?: string[]; properties?: Record<string, Record<string, unknown>> }
  >;
  const { Customer, VoucherType } = schemas;

  it('names the mock as its server by a URL without variables, which all tools read', () => {
    expect(document.servers).toEqual([
      { url: 'http://127.0.0.1:4010', description: 'The mock on this machine.' },
    ]);
  });

  it('has 64 bits for ids and cents, and a double for amounts', () => {
    expect(VoucherType?.properties?.id).toMatchObject({ type: 'integer', format: 'int64' });
    const amount =
      profile['types.currency'] === 'minor' ? { format: 'int64' } : { type: 'number', format: 'double' };
    const amounts = Object.values(schemas)
      .flatMap(({ properties = {} }) => Object.values(properties))
      .filter((property) => property['x-type'] === 'currency');
    expect(amounts.length).toBeGreaterThan(5);
    for (const one of amounts) {
      const { type } = one;
      expect({ ...one, type: [type].flat()[0] }).toMatchObject(amount);
    }
  });

  it('requires what answers always show', () => {
    const required = profile['response.unset'] === 'null' ? Object.keys(Customer?.properties ?? {}) : ['id'];
    expect(Customer?.required).toEqual(expect.arrayContaining(required));
  });

  it('answers each operation with errors of its own, and any other as a default', () => {
    for (const { method, operation } of operations) {
      expect(Object.keys(operation.responses ?? {})).toContain('default');
      if (method !== 'post') expect(JSON.stringify(operation.responses)).not.toContain('is required');
    }
  });

  it('names all that is shared, and adds null next to the name', () => {
    const text = JSON.stringify(document);
    expect(text).not.toMatch(/InlineResponse/);
    const unions = [...text.matchAll(/"anyOf":(\[.*?\])/g)].map(([, union = '']) => union);
    for (const union of unions)
      expect(union).toMatch(/^\[\{"\$ref":"#\/components\/schemas\/\w+"\},\{"type":"null"\}\]$/);
  });
});
