import { expect, it } from 'vitest';
import { createProfile } from '../spec/profile/profile.ts';
import { demo as records } from '../testing/demo.ts';
import { catalogue, references } from '../testing/mocks/mocks.ts';
import { SOURCE } from '../testing/source-facts.ts';
import { type ContractDocument, generateDocument } from './generate.ts';
import { serializeDocument } from './serialize.ts';
import { validateDocument } from './validate.ts';
import { OPENAPI_VERSIONS } from './version.ts';

it.each(OPENAPI_VERSIONS)(
  'a compact document in OpenAPI %s has the same operations and fields',
  async (openapi) => {
    const whole = generateDocument({}, { records, openapi });
    const compact = generateDocument({}, { records, openapi, compact: true });
    await validateDocument(structuredClone(compact));
    const text = serializeDocument(compact, 'json', true);
    expect(text).not.toMatch(/"x-|"examples?":|"links":/);
    expect(text.match(/"operationId":/g)).toHaveLength(SOURCE.totals.operations);
    const fieldsOf = ({ components }: ContractDocument) =>
      Object.entries(components.schemas ?? {}).map(([name, { properties = {} }]) => [
        name,
        Object.keys(properties),
      ]);
    expect(fieldsOf(compact)).toEqual(fieldsOf(whole));
  },
);

it.each(OPENAPI_VERSIONS)(
  'a compact document in OpenAPI %s has at most half a megabyte as JSON',
  (openapi) => {
    const compact = generateDocument({}, { records, openapi, compact: true });
    expect(serializeDocument(compact, 'json', true).length).toBeLessThan(500_000);
  },
);

it.each([
  ['int32', 'int32'],
  ['none', undefined],
] as const)(
  'with the ID format %s, IDs have the format %s, and wider ranges keep 64 bits',
  (idFormat, format) => {
    const settings = {
      'types.currency': 'minor',
      'types.datetime': 'milliseconds',
      'types.duration': 'seconds',
    };
    const profile = createProfile(settings, catalogue);
    const document = generateDocument({ catalogue, profile, references }, { idFormat });
    const { Voucher } = document.components.schemas as Record<
      string,
      { readonly properties: Readonly<Record<string, { readonly format?: string }>> }
    >;
    expect(Voucher?.properties.id?.format).toBe(format);
    expect(Voucher?.properties.unitPrice?.format).toBe('int64');
    expect(Voucher?.properties.created?.format).toBe('int64');
    const { IdFilter, UnitPriceCurrencyFilter } = document.components.parameters as Record<
      string,
      { readonly schema: { readonly format?: string } }
    >;
    expect(IdFilter?.schema.format).toBe(format);
    expect(UnitPriceCurrencyFilter?.schema.format).toBe('int64');
  },
);
