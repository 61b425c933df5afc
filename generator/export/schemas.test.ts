import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../spec/contract.ts';
import { createRecordCodec } from '../../spec/wire/record-codec.ts';
import { demo } from '../../testing/demo.ts';
import { coverProfiles } from '../../testing/profile/profile-cover.ts';
import { exportContract } from './export.ts';

const contract = loadContract();

function compile(text: string | undefined) {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  formats.default(ajv);
  return ajv.compile(JSON.parse(text ?? ''));
}

describe('the schemas of the contract', async () => {
  const files = await exportContract('schemas', contract);

  it('are a file for each model and use, each with an id of its own', () => {
    const { models } = contract.catalogue;
    const written = [...models.values()].filter(({ operations }) => operations.includes('create'));
    expect(files.size).toBe(models.size + 2 * written.length);
    const ids = [...files.values()].map((text) => JSON.parse(text).$id);
    expect(new Set(ids).size).toBe(files.size);
    expect(ids).toContain('urn:record-model-api:2025-10-22:brand:create');
  });

  it('are taken by Ajv in its strict mode, each alone, and take every demo record', () => {
    const codec = createRecordCodec(contract.catalogue, contract.profile);
    const fixtures = demo;
    let taken = 0;
    for (const [name, text] of files) {
      const validate = compile(text);
      const [model = '', use] = name.split('.');
      if (use !== 'read') continue;
      for (const record of fixtures.get(model) ?? []) {
        const { lines: _, ...plain } = record as Record<string, never>;
        const shown = codec.encode(model, plain);
        if (contract.catalogue.models.get(model)?.fields.some(({ lines }) => lines !== undefined)) continue;
        expect([name, validate(shown), validate.errors]).toEqual([name, true, null]);
        taken++;
      }
    }
    expect(taken).toBeGreaterThan(100);
  });

  it('refuse what the contract refuses', () => {
    const create = compile(files.get('stockOrder.create.json'));
    const line = { product: 1, grossUnitCost: 10, amount: 2, discount: 0 };
    const order = { status: 0, globalDiscount: 5, lines: [line] };
    expect(create(order)).toBe(true);
    expect(create({ ...order, status: 9 })).toBe(false);
    expect(create({ ...order, color: 'red' })).toBe(false);
    expect(create({ ...order, lines: [{ ...line, amount: 'x' }] })).toBe(false);
    const update = compile(files.get('stockOrder.update.json'));
    expect(update({ lines: [{ ...line, id: 1 }] })).toBe(true);
    expect(update({ lines: [{ ...line, id: null }] })).toBe(false);
  });

  it('are taken under profiles far from the default too', { timeout: 30_000 }, async () => {
    const profiles = coverProfiles(contract.catalogue).filter((_, index) => index % 12 === 0);
    expect(profiles.length).toBeGreaterThan(2);
    const selection = { models: ['brand', 'stockOrder', 'voucherType', 'taskComment'] };
    for (const profile of profiles)
      for (const text of (await exportContract('schemas', { ...contract, profile }, { selection })).values())
        expect(compile(text)).toBeTypeOf('function');
  });
});
