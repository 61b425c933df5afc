import { afterAll, expect, test } from 'vitest';
import { sideBySide } from '../../../conformance/target/exchange.ts';
import { DEFECTS } from '../../../testing/services/defects/defects.ts';
import type { ShapeName } from '../../../testing/services/hostile/shapes.ts';
import { behind, ZOO } from '../../../testing/services/services.ts';
import type { Disturbance } from '../../../testing/services/unstable/unstable.ts';
import { tryDefect } from './defects.ts';
import { profileOf, tryHealthy } from './healthy.ts';
import { proveHostile } from './hostile.ts';
import { proveKilled } from './kill.ts';
import { createKit } from './kit.ts';

/** A slice: a text, a list of values, a link, lines. */
const FEW_SEQUENCES = ['--explore', '20'];
const SLICE = ['--models', 'brand,locker,lockerType', ...FEW_SEQUENCES];
/** Some of those that are easy to miss. */
const NAMED = [
  'required-text-may-lack',
  'put-updates',
  'delete-on-all-wipes',
  'float-in-single-precision',
  'time-zone-dropped',
  'delete-takes-namesakes',
];
const kit = createKit();
afterAll(() => kit.close());

const plain = ZOO.find(({ name }) => name === 'plain');

test('a foreign service passes both ways, and each of some defects fails its rule', async () => {
  if (!plain) return expect.unreachable();
  const { cases, problems } = await tryHealthy(kit, plain, { more: SLICE, times: 1 });
  expect(problems).toEqual([]);
  expect(cases).toBeGreaterThan(100);
  const profile = kit.file(profileOf(plain.name));
  // They mostly wait, each for a separate service.
  const verdicts = await sideBySide(NAMED, async (name) => {
    const defect = DEFECTS.find((known) => known.name === name);
    return defect && tryDefect({ kit, service: plain, profile, more: FEW_SEQUENCES }, defect);
  });
  expect(verdicts).toEqual(
    NAMED.map((name) =>
      expect.objectContaining({ name: `plain ${name} --explore 20`, caught: true, instead: '' }),
    ),
  );
});

/** The others wait, for a second each time; `npm run prove -- --unstable` tries all of them, before each of the zoo. */
test.concurrent.each<[string, Disturbance[]]>([
  ['plain', ['busy', 'resets', 'gzip']],
  ['express', ['redirect', 'resets']],
])('%s behind %j passes', async (name, disturbances) => {
  const service = ZOO.find((known) => known.name === name);
  if (!service) return expect.unreachable();
  const started = await behind(disturbances, service).start();
  const before = started.live();
  try {
    const said = await kit.check(started.url, ['--models', 'brand', '--explore', '0']);
    expect(said).toMatchObject({ code: 0, left: [] });
    expect(started.live()).toEqual(before);
  } finally {
    await started.close();
  }
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
