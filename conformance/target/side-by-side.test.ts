import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sideBySide } from './side-by-side.ts';

test('what comes of each stands in the order of the items', async () => {
  const doubled = await sideBySide([3, 1, 2, 0, 5, 4], async (number) => {
    for (let turns = 0; turns < number; turns++) await turn();
    return number * 2;
  });
  expect(doubled).toEqual([6, 2, 4, 0, 10, 8]);
});

test('after an error nothing more is asked, and nothing is under way when it is told', async () => {
  const asked: number[] = [];
  let underWay = 0;
  const asking = sideBySide([1, 2, 3, 4, 5, 6, 7, 8, 9], async (number) => {
    asked.push(number);
    underWay++;
    for (let turns = 0; turns < number; turns++) await turn();
    underWay--;
    if (number === 1) throw new Error('no more');
  });
  await expect(asking).rejects.toThrow('no more');
  expect(underWay).toBe(0);
  expect(asked).toEqual([1, 2, 3, 4]);
});
