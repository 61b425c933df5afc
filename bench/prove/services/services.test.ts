import { afterAll, expect, test } from 'vitest';
import { DEFECTS } from '../../../testing/services/defects/defects.ts';
import { drawDialect, ZOO } from '../../../testing/services/services.ts';
import { tryDefect } from './defects.ts';
import { profileOf, tryHealthy } from './healthy.ts';
import { createKit } from './kit.ts';
import { describeRow, zooProblems } from './services.ts';

/** A slice: a text, a list of values, a link, lines. */
const SLICE = ['--models', 'brand,locker,lockerType'];
/** Some of those that are easy to miss. */
const NAMED = [
  'required-text-may-lack',
  'value-outside-list',
  'id-as-text',
  'put-updates',
  'total-counts-the-page',
  'create-makes-two',
  'delete-on-all-wipes',
  'update-creates-unknown-id',
  'money-rounded-to-whole',
  'impossible-day-stored',
  'page-misses-one',
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
  for (const name of NAMED) {
    const defect = DEFECTS.find((known) => known.name === name);
    if (!defect) return expect.unreachable();
    expect(await tryDefect(kit, plain, defect, profile)).toEqual({
      name: `plain ${name}`,
      caught: true,
      instead: '',
    });
  }
});

test.each([11, 12, 13])('a service of manners drawn with %i passes both ways', async (seed) => {
  const { cases, problems } = await tryHealthy(kit, drawDialect(seed), { more: SLICE, times: 1 });
  expect(problems).toEqual([]);
  expect(cases).toBeGreaterThan(100);
});

test('what is missed is told', () => {
  const verdict = { name: 'plain x', caught: false, instead: 'exit 0' };
  const row = { name: 'plain', healthy: ['plain, learn: exit 1'], cases: 3, defects: [verdict] };
  expect(zooProblems([row])).toEqual(['plain, learn: exit 1', 'survived plain x: exit 0']);
  expect(describeRow(row)).toContain('1 false alarms in 3 cases');
});
