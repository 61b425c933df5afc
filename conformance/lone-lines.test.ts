import { expect, test } from 'vitest';
import { check } from '../testing/checks.ts';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { BASE } from '../testing/services/service.ts';
import { complaints, learnAndCheck, useForeignService } from '../testing/use-foreign-service.ts';
import type { Target } from './target/target.ts';

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

test('a draft of another client that the service chose for a line stays, and is named', async () => {
  const service = closing(
    await startPlain({ dialect: readOptions(['loneLines=share a draft', 'begins=empty']) }),
  );
  const url = `${service.url}${BASE}/stockInvoice`;
  const body = JSON.stringify({ lines: [], discountTotal: 0, currency: 'EUR', taxTotal: 0 });
  const headers = { 'content-type': 'application/json' };
  const theirs: number[] = [];
  const wrap = (target: Target): Target => ({
    ...target,
    send: async (request, record) => {
      if (request.method === 'POST' && request.path.endsWith('/stockInvoiceLine') && theirs.length === 0) {
        const made = await fetch(url, { method: 'POST', headers, body });
        theirs.push(((await made.json()) as { id: number }).id);
      }
      return target.send(request, record);
    },
  });
  const { leftovers } = await check(service.url, {
    models: ['stockInvoiceLine'],
    rules: ['operations.delete'],
    wrap,
  });
  expect(service.live()).toEqual([`stockInvoice/${theirs[0]}`]);
  expect(leftovers).toEqual([`stockInvoice/${theirs[0]}`]);
});
