import { describe, expect, it } from 'vitest';
import { schemaName } from '../spec/binding.ts';
import { loadCatalogue } from '../spec/catalogue/catalogue.ts';
import { DEFAULT_PROFILE } from '../spec/profile/profile.ts';
import { loadReferences } from '../spec/references.ts';
import { generateDocument } from './generate.ts';
import type { Schema, SchemaOrReference } from './schemas/schema.ts';

const catalogue = loadCatalogue();
const references = loadReferences(catalogue);

const document = generateDocument({ catalogue, profile: DEFAULT_PROFILE, references });
const schemas: Record<string, Schema> = document.components.schemas ?? {};

describe('the document of the catalogue', () => {
  it('says of every inferred link that it is inferred', () => {
    expect(references.size).toBeGreaterThan(0);
    for (const [key, reference] of references) {
      const [model = '', name = ''] = key.split('.');
      const property: SchemaOrReference | undefined = schemas[schemaName(model)]?.properties?.[name];
      expect(property?.description).toContain('(inferred');
      if ('to' in reference) expect(property).toHaveProperty('x-reference', reference.to);
    }
  });

  it('says what the values of a list mean', () => {
    expect(schemas.StockOrderStatus).toEqual({
      type: 'integer',
      format: 'int32',
      enum: [0, 1, 2, 3],
      description:
        'Values of `stockOrder.status`:\n\n- `0`: Abierto (`Open`)\n- `1`: Enviado (`Sent`)\n- `2`: Parcialmente recibido (`PartiallyReceived`)\n- `3`: Recibido (`Received`)',
      'x-basis': 'stated',
      'x-enum-varnames': ['Open', 'Sent', 'PartiallyReceived', 'Received'],
      'x-enum-descriptions': ['Abierto', 'Enviado', 'Parcialmente recibido', 'Recibido'],
    });
  });

  it('lists what it assumes, readable and as data', () => {
    const assumed = document['x-assumptions'].map(({ setting }) => setting);
    expect(assumed).toContain('delete.effect');
    // With paging by offset, this setting has no effect.
    expect(assumed).not.toContain('list.pageParameter');
    // The description names about twelve settings. `x-assumptions` has all.
    const { description = '' } = document.info;
    expect(description.match(/`[a-z]+\.[A-Za-z]+: [^`]+`/g)).toHaveLength(12);
    expect(description.trim().split('\n\n')).toHaveLength(3);
    expect(description).toContain('`delete.effect: mark`');
  });
});
