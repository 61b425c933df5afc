import { expect, test } from 'vitest';
import { check } from '../testing/checks.ts';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { BASE } from '../testing/services/service.ts';
import { useForeignService } from '../testing/use-foreign-service.ts';

const { closing } = useForeignService();

// stockInvoiceLine.stockInvoice is required and readonly. If a client creates a line by itself, the service chooses it.
const start = async (...words: string[]) => closing(await startPlain({ dialect: readOptions(words) }));

test.each([
  ['share a draft', 'empty', 1],
  ['get a parent', 'with records', 0],
])(
  'a parent that the service creates is removed after its only line, or listed: %s, begins %s',
  async (loneLines, begins, most) => {
    const service = await start(`loneLines=${loneLines}`, `begins=${begins}`);
    const before = new Set(service.live());
    const { leftovers } = await check(service.url, { models: ['stockInvoiceLine'], rules: ['create'] });
    const left = service.live().filter((id) => !before.has(id));
    expect(leftovers).toEqual(left);
    expect(left).toHaveLength(most);
  },
);

test('a draft of another client that the service chose for a line stays, and is named', async () => {
  const service = await start('loneLines=share a draft', 'begins=empty');
  const body = JSON.stringify({ lines: [], discountTotal: 0, currency: 'EUR', taxTotal: 0 });
  const headers = { 'content-type': 'application/json' };
  let isMade = false;
  const { leftovers } = await check(service.url, {
    models: ['stockInvoiceLine'],
    rules: ['operations.delete'],
    wrap: (target) => ({
      ...target,
      send: async (request, record) => {
        if (request.method === 'POST' && request.path.endsWith('/stockInvoiceLine') && !isMade) {
          isMade = true;
          await fetch(`${service.url}${BASE}/stockInvoice`, { method: 'POST', headers, body });
        }
        return target.send(request, record);
      },
    }),
  });
  const [theirs, ...more] = service.live();
  expect([theirs, more, leftovers]).toEqual([expect.stringMatching(/^stockInvoice\/\d+$/), [], [theirs]]);
});
