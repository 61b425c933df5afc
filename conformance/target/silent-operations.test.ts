import { describe, expect, test } from 'vitest';
import { check } from '../../testing/checks.ts';
import { observe } from '../../testing/profile/learning.ts';
import type { Asked } from '../../testing/proxies/recording-proxy.ts';
import { useLossyService } from '../../testing/proxies/use-lossy-service.ts';

const { start } = useLossyService();
const never = new Promise<undefined>(() => {});
const connection = { timeout: 1000 };
const plan = { models: ['brand', 'share', 'lockerType'], looks: [0], tag: 'k3f9', tagIsUnique: true };

/** Starts a service that never answers one operation. */
function startSilent(isSilent: (asked: Asked) => boolean) {
  return start((asked) => (isSilent(asked) ? never : undefined));
}

describe('an operation that never answers', () => {
  test.each([
    ['create', ({ method, path }: Asked) => method === 'POST' && path.endsWith('/brand')],
    ['retrieve', ({ method, path }: Asked) => method === 'GET' && /brand\/\d+$/.test(path)],
  ] as const)('fails by itself, and is sent twice: %s', async (operation, isSilent) => {
    const { asked, left, url } = await startSilent(isSilent);
    const { cases, leftovers, lost } = await check(url, { ...plan, connection });
    expect(lost).toBe(undefined);
    const failed = cases.filter(({ outcome }) => outcome === 'fail');
    expect(failed.map(({ id }) => id)).toEqual([`operations.${operation}:brand`]);
    expect(failed[0]?.exchanges?.at(-1)?.response).toMatchObject({
      status: 0,
      error: 'no response within 1000 ms',
    });
    const blocked = cases.filter(({ outcome }) => outcome === 'blocked');
    expect(new Set(blocked.map(({ model }) => model))).toEqual(new Set(['brand']));
    expect(new Set(blocked.map(({ blockedBy }) => blockedBy))).toEqual(
      new Set([`operations.${operation}:brand`]),
    );
    const passed = cases.filter(({ outcome }) => outcome === 'pass');
    expect(passed.filter(({ model }) => model !== 'brand').length).toBeGreaterThan(200);
    expect(asked.filter(isSilent).length).toBeLessThan(9);
    // Without a retrieve, some deleted records stay unclear.
    expect(leftovers).toEqual(expect.arrayContaining(left()));
    expect(leftovers.length - left().length).toBeLessThan(operation === 'retrieve' ? 9 : 1);
  });

  test('is given up by learn after the models that it asks at once, and what stays is named', async () => {
    const isSilent = ({ method }: Asked) => method === 'DELETE';
    const { asked, left, url } = await startSilent(isSilent);
    const { learned } = await observe(
      { baseUrl: url, ...connection },
      { selected: new Set(plan.models), tag: 'k3f9', tagIsUnique: true },
    );
    expect(learned.leftovers.length).toBeGreaterThan(40);
    // Four models are asked at once, each twice.
    expect(asked.filter(isSilent).length).toBeLessThan(9);
    expect(learned.leftovers.toSorted()).toEqual(left().toSorted());
  });
});
