import { afterAll, expect, test } from 'vitest';
import type { ShapeName } from '../../../testing/services/hostile/shapes.ts';
import { opened } from '../../../testing/services/http-server.ts';
import { behind, ZOO } from '../../../testing/services/services.ts';
import type { Disturbance } from '../../../testing/services/unstable/unstable.ts';
import { proveHostile } from './hostile.ts';
import { proveKilled } from './kill.ts';
import { createKit } from './kit.ts';

const kit = createKit();
afterAll(() => kit[Symbol.dispose]());

/** The others wait, for a second each time; `npm run prove -- --unstable` tries all of them, before each of the zoo. */
test.concurrent.each<[string, Disturbance[]]>([
  ['plain', ['busy', 'resets', 'gzip']],
  ['express', ['redirect', 'resets']],
])('%s behind %j passes', async (name, disturbances) => {
  const service = ZOO.find((known) => known.name === name);
  if (!service) return expect.unreachable();
  await using started = await opened(behind(disturbances, service).start());
  const before = started.live();
  const said = await kit.check(started.url, ['--models', 'brand', '--explore', '0']);
  expect(said).toMatchObject({ code: 0, left: [] });
  expect(started.live()).toEqual(before);
});

test('hostile answers end a run in time, and what is left behind is named', async () => {
  const shapes: ShapeName[] = ['deep-lists', 'many-rows', 'proto-rows', 'proto', 'wait-429'];
  const rows = await proveHostile(kit, {
    shapes,
    mixed: 2,
    seed: 1,
    maxTime: 2,
    models: 'brand',
    say: () => {},
  });
  expect(rows.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`))).toEqual([]);
  expect(rows.every(({ hostile }) => hostile > 0)).toBe(true);
  // None of them may get the verdict "conformant".
  expect(rows.slice(0, shapes.length).map(({ code }) => code)).not.toContain(0);
});

test('runs that are killed leave the rows of before, once they are cleaned up after', async () => {
  const rows = await proveKilled(kit, { times: 3, seed: 5, say: () => {} });
  expect(rows.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`))).toEqual([]);
  // A run that is killed between two of its cases leaves nothing.
  expect(rows.some(({ removed }) => removed > 0)).toBe(true);
});
