import { expect, test } from 'vitest';
import { against, check } from '../../testing/checks.ts';
import { observe } from '../../testing/profile/learning.ts';
import type { Asked } from '../../testing/proxies/recording-proxy.ts';
import { createRandom } from '../../testing/services/draw.ts';
import { type Loss, useForeignService } from '../../testing/use-foreign-service.ts';
import { renderExchanges } from '../report/exchanges.ts';
import { renderMarkdown } from '../report/markdown.ts';
import { renderTerminal } from '../report/terminal.ts';

const { startLossy: start } = useForeignService();
const plan = { models: ['brand', 'lockerType'], looks: [0], tag: 'k3f9', tagIsUnique: true };

/** Draws a request of a run, as a lost request and as a lost response. ALL_LOSSES=1 tries every tenth one. */
function draw(requests: number): (readonly [number, Loss])[] {
  const every = Array.from({ length: Math.floor(requests / 10) }, (_, index) => index * 10 + 1);
  const some = [1 + Math.floor(createRandom(requests)() * (requests - 1))];
  const losses = ['request', 'response'] as const;
  return (process.env.ALL_LOSSES ? every : some).flatMap((n) => losses.map((loss) => [n, loss] as const));
}

test('one lost response changes no outcome of check, and all leftovers are reported', async () => {
  const whole = await start(() => undefined);
  const expected = against(await check(whole.url, plan));
  for (const [n, loss] of draw(whole.asked.length)) {
    const { asked, left, url } = await start((_, index) => (index === n ? loss : undefined));
    const results = await check(url, plan);
    const { leftovers, oddities } = results;
    const context = `${loss} ${n}: ${asked[n]?.method} ${asked[n]?.path} ${asked[n]?.body}`;
    expect({ context, against: against(results), leftovers }).toEqual({
      context,
      against: expected,
      leftovers: left(),
    });
    expect(oddities).toEqual(['1 request was sent again, because the response was lost']);
  }
});

test('one lost response changes no setting that learn finds', async () => {
  const selected = new Set(plan.models);
  const learn = async (meddle: Parameters<typeof start>[0]) => {
    const service = await start(meddle);
    const more = { selected, tag: 'k3f9', tagIsUnique: true };
    return { ...service, ...(await observe({ baseUrl: service.url }, more)).learned };
  };
  const kinds = ({ settings }: Awaited<ReturnType<typeof learn>>) =>
    [...settings].map(([name, { kind }]) => [name, kind]);
  const whole = await learn(() => undefined);
  for (const [n, loss] of draw(whole.asked.length)) {
    const one = await learn((_, index) => (index === n ? loss : undefined));
    const context = `${loss} ${n}: ${one.asked[n]?.method} ${one.asked[n]?.path} ${one.asked[n]?.body}`;
    expect({ context, kinds: kinds(one), left: one.leftovers }).toEqual({
      context,
      kinds: kinds(whole),
      // A line goes with its record.
      left: one.left().filter((name) => !/Line\//.test(name)),
    });
  }
});

const CLOSED = 'the connection was closed before the response was complete';

test('if a service closes the connection each time, the case fails and reports show the request', async () => {
  // An object as the value of a field.
  const isClosed = (body: string) => /:\s*\{/.test(body);
  const { url } = await start(({ body }) => (isClosed(body) ? new Error('closed') : undefined));
  const results = await check(url, { models: ['brand', 'share'], looks: [0] });
  const closed = results.cases.filter(({ message = '' }) => message.includes(CLOSED));
  expect(closed.length).toBeGreaterThan(0);
  expect(against(results).every((one) => closed.includes(one))).toBe(true);
  for (const { exchanges = [], outcome } of closed) {
    const { request, response } = exchanges.at(-1) ?? {};
    expect({ outcome, response }).toMatchObject({ outcome: 'fail', response: { status: 0, error: CLOSED } });
    expect(request?.body).toSatisfy(isClosed);
  }
  for (const text of [
    renderTerminal(results, { color: false }),
    renderMarkdown(results),
    renderExchanges(results),
  ])
    expect(text).toContain(CLOSED);
});

const never = new Promise<undefined>(() => {});
const connection = { timeout: 1000 };

/** Starts a service that never answers one operation. */
function startSilent(isSilent: (asked: Asked) => boolean) {
  return start((asked) => (isSilent(asked) ? never : undefined));
}

test.each([
  ['create', ({ method, path }: Asked) => method === 'POST' && path.endsWith('/brand')],
  ['retrieve', ({ method, path }: Asked) => method === 'GET' && /brand\/\d+$/.test(path)],
] as const)(
  'an operation that never responds fails alone, after two tries: %s',
  async (operation, isSilent) => {
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
    expect(passed.filter(({ model }) => model !== 'brand').length).toBeGreaterThan(90);
    expect(asked.filter(isSilent).length).toBeLessThan(9);
    // Without a retrieve, some deleted records stay unclear.
    expect(leftovers).toEqual(expect.arrayContaining(left()));
    expect(leftovers.length - left().length).toBeLessThan(operation === 'retrieve' ? 9 : 1);
  },
);

test('learn skips an operation that never responds, and reports the leftovers', async () => {
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
