import { expect, test } from 'vitest';
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
