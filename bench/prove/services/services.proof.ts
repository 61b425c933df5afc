import { afterAll, expect, test } from 'vitest';
import type { ShapeName } from '../../../testing/services/hostile/shapes.ts';
import { proveHostile } from './hostile.ts';
import { proveKilled } from './kill.ts';
import { createKit } from './kit.ts';

const kit = createKit();
afterAll(() => kit[Symbol.dispose]());

test('runs with hostile responses end in time, and report the leftovers', async () => {
  const shapes: ShapeName[] = ['deep-lists', 'many-rows', 'proto-rows', 'proto', 'wait-429'];
  const options = { shapes, mixed: 2, seed: 1, maxTime: 2, models: 'brand' };
  const rows = await all(proveHostile(kit, options));
  expect(rows.filter(({ problems }) => problems.length > 0)).toEqual([]);
  expect(rows.every(({ hostile }) => hostile > 0)).toBe(true);
  // None of them may get the verdict "conformant".
  expect(rows.slice(0, shapes.length).map(({ code }) => code)).not.toContain(0);
});

test('after a killed run, clean restores the previous records', async () => {
  const rows = await all(proveKilled(kit, 3, 5));
  expect(rows.filter(({ problems }) => problems.length > 0)).toEqual([]);
  // A run that is killed between two of its cases leaves nothing.
  expect(rows.some(({ removed }) => removed > 0)).toBe(true);
});

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const found: Row[] = [];
  for await (const row of rows) found.push(row);
  return found;
}
