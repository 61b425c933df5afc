import { expect, test } from 'vitest';
import { killUnderLoad } from './kill.ts';
import { createOrders } from './orders.ts';

test.each(['normal', 'full'])(
  'a mock that is killed has every write that it acknowledged, none by half and no id twice: --data-sync %s',
  async (sync) => {
    const flags = ['--data-sync', sync];
    const { acknowledged, problems } = await killUnderLoad({ times: 1, seed: 20251022, flags });
    expect(problems).toEqual([]);
    expect(acknowledged).toBeGreaterThan(10);
  },
);

test('what is lost, half there or given twice is seen', () => {
  const orders = createOrders();
  const write = (id: number, lines: number[]) =>
    orders.end(orders.begin(lines.length).key, { id, lines: lines.map((line) => ({ id: line })) });
  write(1, [1, 2]);
  write(2, [3]);
  write(2, [3]);
  const stockOrder = [{ id: 1, comments: 'write 1 with 2 lines' }];
  const line = { stockOrder: 1, product: 1 };
  const stockOrderLine = [
    { id: 1, ...line },
    { id: 3, ...line, stockOrder: 9 },
  ];
  expect(orders.compare({ stockOrder, stockOrderLine })).toEqual([
    'the id 2 of orders was given twice',
    'the id 3 of lines was given twice',
    'order 9 has lines and is not there',
    'order 2 was acknowledged, and is not there',
    'order 1 has 1 lines; expected 2',
  ]);
  orders.begin(3, 1);
  const changed = { id: 1, comments: 'write 4 with 3 lines' };
  const lines = [1, 2, 3].map((id) => ({ id, stockOrder: 1, product: 4 }));
  expect(orders.compare({ stockOrder: [changed], stockOrderLine: lines })).toEqual([
    'order 2 was acknowledged, and is not there',
  ]);
});
