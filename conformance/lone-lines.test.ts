import { expect, test } from 'vitest';
import { check } from '../testing/checks.ts';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { complaints, learnAndCheck, useForeignService } from '../testing/use-foreign-service.ts';

const { closing } = useForeignService();

const MODELS = ['stockInvoice', 'stockInvoiceLine', 'stockOrder', 'stockOrderLine', 'deposit'];

// stockInvoiceLine.stockInvoice is required and readonly. If a client creates a line by itself, the service chooses it.
test.each([
  ['stay alone', 'objects', 'mark'],
  ['share a draft', 'objects', 'mark'],
  ['share a draft', 'objects', 'remove'],
  ['share a draft', 'ids', 'mark'],
  ['get a parent', 'objects', 'remove'],
])(
  'a service conforms in which lines without a given parent %s (%s, deletes: %s)',
  async (loneLines, lines, deletes) => {
    const dialect = readOptions([`loneLines=${loneLines}`, `lines=${lines}`, `deletes=${deletes}`]);
    const service = closing(await startPlain({ dialect }));
    const results = await learnAndCheck(service.url, { models: MODELS });
    expect(complaints(results)).toEqual([]);
  },
);

test.each([
  ['share a draft', 'with records', 0],
  ['share a draft', 'empty', 1],
  ['get a parent', 'with records', 0],
])(
  'a parent that the service creates is removed after its only line, or listed: %s, begins %s',
  async (loneLines, begins, most) => {
    const dialect = readOptions([`loneLines=${loneLines}`, `begins=${begins}`]);
    const service = closing(await startPlain({ dialect }));
    const before = new Set(service.live());
    const { leftovers } = await check(service.url, { models: ['stockInvoiceLine'], rules: ['create'] });
    const left = service.live().filter((id) => !before.has(id));
    expect(leftovers).toEqual(left);
    expect(left).toHaveLength(most);
  },
);
