import { describe, expect, test } from 'vitest';
import { loadContract } from '../../spec/contract.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { demo } from '../../testing/demo.ts';
import { generateRecords } from '../../testing/generated-records.ts';
import { createValueValidators } from '../operations/body.ts';
import type { Fixtures } from '../seed/seed.ts';
import type { Wanted } from './generated.ts';

const contract = loadContract();
const models = [...contract.catalogue.models.values()];
const base = { origin: 'http://127.0.0.1:4010', seed: 5 };
const validate = createValueValidators(DEFAULT_PROFILE);

describe.each<[string, Fixtures]>([
  ['in addition to the demo records', demo],
  ['in an empty mock', new Map()],
])('generated records %s', (_, existing) => {
  test.each<[Wanted]>([
    ...models.map(({ name }): [Wanted] => [{ [name]: 1 }]),
    [{ customer: 30, voucherTransaction: 20, stockOrder: 9, stockDeliveryLine: 12 }],
    [{ stockOrder: 3, stockOrderLine: 40, stockInvoice: 40, stockInvoiceLine: 3 }],
    [{ customer: 0, relationship: 5, stockOrder: 0, stockOrderLine: 5 }],
    [200],
  ])('of %j are as many as asked for, and follow the contract', (wanted) => {
    const made = generateRecords(wanted, contract, { ...base, existing });
    for (const [name, count] of Object.entries(typeof wanted === 'number' ? {} : wanted))
      if (count > 0) expect([name, made.get(name)?.length]).toEqual([name, count]);
    const idsOf = (name: string) =>
      [...(existing.get(name) ?? []), ...(made.get(name) ?? [])].map(({ id }) => id);
    const ids = new Map(models.map(({ name }) => [name, new Set(idsOf(name))]));
    const wrong: string[] = [];
    for (const { fields, name } of models) {
      if (new Set(idsOf(name)).size < idsOf(name).length) wrong.push(`${name} has an ID twice`);
      for (const record of made.get(name) ?? [])
        for (const field of fields) {
          const value = record[field.name] ?? null;
          if (value === null) {
            if (field.required && !field.readonly && !field.lines) wrong.push(`${field.key} is required`);
            continue;
          }
          for (const { message } of validate(field, value)) wrong.push(`${field.key} ${message}: ${value}`);
          const reference = contract.references.get(field.key);
          if (reference && 'to' in reference)
            for (const id of [value].flat())
              if (!ids.get(reference.to)?.has(id)) wrong.push(`${field.key} ${id} leads to no record`);
        }
    }
    expect(wrong).toEqual([]);
  });
});
