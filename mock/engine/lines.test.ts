import { expect, test } from 'vitest';
import { few, references, startMock } from '../../testing/mocks/mocks.ts';
import { expectTranscript } from '../../testing/transcripts/transcripts.ts';

expectTranscript(import.meta.dirname, 'lines');

const line = { product: 1, grossUnitCost: 10, amount: 3, discount: 50 };
const unlinked = new Map([...references].filter(([key]) => key !== 'stockOrderLine.stockOrder'));

test('lines whose link to their parent is undeclared belong to the parent, and keep the sent values', async () => {
  const { ask, create } = await startMock({}, { references: unlinked });
  const send = (...lines: object[]) => ask('POST', '/stockOrder/1', { lines });
  const lines = [5, 6].map((stockOrder) => ({ ...line, stockOrder }));
  const made = await create('stockOrder', { globalDiscount: 10, status: 0, lines });
  expect(made).toMatchObject({
    amount: 6,
    lines: [
      { id: 1, stockOrder: 5 },
      { id: 2, stockOrder: 6 },
    ],
  });
  await ask('DELETE', '/stockOrderLine/1');
  expect((await ask('GET', '/stockOrder/1')).body).toMatchObject({ lines: [{ id: 2 }] });
  const kept = { body: { lines: [{ id: 2, stockOrder: 8 }] } };
  expect(await send({ ...line, id: 2, stockOrder: 8 })).toMatchObject(kept);
  expect(await send({ ...line, stockOrder: 7 })).toMatchObject({ body: { lines: [{ id: 3 }] } });
  expect((await ask('GET', '/stockOrderLine')).body).toMatchObject([{ id: 3 }]);
});

test('lines whose link to their parent is undeclared can be fixtures, as IDs in the parent', async () => {
  const fixtures = {
    stockOrder: [{ id: 1, globalDiscount: 0, status: 0, lines: [4] }],
    stockOrderLine: [{ ...line, id: 4, stockOrder: 9 }],
  };
  const { ask } = await startMock({}, { references: unlinked, fixtures, catalogue: few });
  expect((await ask('GET', '/stockOrder/1')).body).toMatchObject({ lines: [{ id: 4 }], amount: 3 });
});
