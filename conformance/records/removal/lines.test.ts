import { afterEach, expect, test } from 'vitest';
import { createMock } from '../../../mock/mock.ts';
import { check } from '../../../testing/checks.ts';
import { type Asked, type Reply, startRecordingProxy } from '../../../testing/proxies/recording-proxy.ts';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const server of open.splice(0).reverse()) await server.close();
});

/** What a check deletes on a mock that something stands before. */
async function deleted(meddle: (asked: Asked) => Reply | undefined = () => undefined) {
  const mock = await createMock({ fixtures: 'demo' });
  open.push(mock);
  const recorder = await startRecordingProxy((await mock.listen({ port: 0 })).url, meddle);
  open.push(recorder);
  const { leftovers } = await check(recorder.url, {
    models: ['stockInvoice'],
    rules: ['operations', 'update'],
  });
  const of = (model: string) =>
    recorder.asked.filter(({ method, path }) => method === 'DELETE' && path.includes(`/${model}/`)).length;
  return { leftovers, parents: of('stockInvoice'), lines: of('stockInvoiceLine') };
}

test('lines that go with what they stand in are not deleted one by one', async () => {
  const { leftovers, lines, parents } = await deleted();
  expect(leftovers).toEqual([]);
  expect(parents).toBeGreaterThan(5);
  expect(lines).toBe(0);
});

test('lines that stay when the first is deleted are removed, and those of others before it', async () => {
  const { leftovers, lines, parents } = await deleted(({ method, path }) =>
    method === 'GET' && /\/stockInvoiceLine\/\d/.test(path)
      ? { status: 200, body: { id: Number(path.split('/').at(-1)), deleted: false } }
      : undefined,
  );
  expect(leftovers).toEqual([]);
  expect(lines).toBeGreaterThanOrEqual(parents);
});

test.each([409, 500])(
  'lines that keep what they stand in from being deleted, with %i, are removed first',
  async (status) => {
    let last = '';
    const { leftovers, lines, parents } = await deleted(({ method, path }) => {
      if (method !== 'DELETE') return undefined;
      const isHeld = path.includes('/stockInvoice/') && !last.includes('/stockInvoiceLine/');
      last = path;
      return isHeld ? { status, body: { error: 'it has lines' } } : undefined;
    });
    expect(leftovers).toEqual([]);
    expect(lines).toBeGreaterThan(0);
    expect(lines).toBeGreaterThanOrEqual(parents - 2);
  },
);

test('lines that go with some records and keep others are removed where they do', async () => {
  const asked = new Set<string>();
  const { leftovers, lines } = await deleted(({ method, path }) => {
    if (method !== 'DELETE' || !path.includes('/stockInvoice/')) return undefined;
    // The first goes at once; of the others some do when they are asked for again.
    const isHeld = asked.size > 0 && asked.size % 3 === 0 && !asked.has(path);
    asked.add(path);
    return isHeld ? { status: 409, body: { error: 'it has lines' } } : undefined;
  });
  expect(leftovers).toEqual([]);
  expect(lines).toBeGreaterThan(0);
});
