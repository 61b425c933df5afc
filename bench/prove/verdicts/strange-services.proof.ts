import { describe, expect, it, test } from 'vitest';
import { DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import { catalogue } from '../../../testing/checks.ts';
import { observe } from '../../../testing/profile/learning.ts';
import { useStrangeService } from '../../../testing/profile/strange-service.ts';
import { type Asked, type Reply, startRecordingProxy } from '../../../testing/proxies/recording-proxy.ts';
import { startPlain } from '../../../testing/services/plain/plain.ts';
import { learnAndCheck, useForeignService } from '../../../testing/use-foreign-service.ts';

const { learn, mockBehind } = useStrangeService();

describe('a service that is none of this interface', () => {
  it('is not written to when it answers HTML, and gets a warning', async () => {
    const html = { headers: { 'content-type': 'text/html' }, body: '<h1>It works!</h1>' };
    const { learned, sent } = await learn(() => html, { write: true });
    expect(learned.warning).toContain(
      'GET /api/model/voucherPrice returned 200 with text/html that is not JSON',
    );
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(learned.settings.get('response.records')).toMatchObject({ kind: 'unknown' });
    expect(learned.profile).toEqual(DEFAULT_PROFILE);
  });

  it('is asked for credentials where it forbids everything', async () => {
    const { learned } = await learn(() => ({ status: 403, body: { error: 'no' } }));
    expect(learned.warning).toMatch(
      /GET \/api\/model\/voucherPrice returned 403: \{"error":"no"\}; pass credentials that can read \(--bearer, --basic, or --api-key\)/,
    );
  });

  it('does no harm with deep, large and odd JSON', async () => {
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    const odd = `{"__proto__":{"data":[{"id":1}]},"constructor":[{"id":"1"}],"deep":${deep},"many":[${'{},'.repeat(50_000)}{}]}`;
    const { found } = await learn(() => ({ body: odd }));
    expect(found('auth')).toBe('none');
    expect(({} as Record<string, unknown>).data).toBeUndefined();
  });

  it('makes settings unknown when it breaks on every write', async () => {
    const baseUrl = await mockBehind(({ method }) =>
      method === 'GET' ? undefined : { status: 500, body: { error: 'out of order' } },
    );
    const { learned, sent } = await observe({ baseUrl }, { selected: undefined });
    expect(sent.filter(({ method }) => method !== 'GET').length).toBeLessThan(10);
    expect(learned.settings.get('request.encoding')).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('no record could be created: POST /api/model/lockerType returned'),
    });
    expect(learned.settings.get('types.currency')).toMatchObject({ kind: 'found', value: 'number' });
    expect(learned.settings.get('delete.effect')).toMatchObject({ kind: 'unknown' });
  });

  it('has removed what it makes of a body that is none', async () => {
    const baseUrl = await mockBehind(({ headers }) =>
      headers['content-type'] === 'text/plain' ? { status: 201, body: { id: 777 } } : undefined,
    );
    const { sent } = await observe({ baseUrl });
    const made = sent.find(({ headers }) => headers?.['content-type'] === 'text/plain');
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toContain(`DELETE ${made?.path}/777`);
  });
});

it('a service whose lists have another order each time has nothing of their order and their parts learned', async () => {
  let turn = 0;
  const baseUrl = await mockBehind(async (asked, _, { perform }) => {
    if (asked.method !== 'GET' || /\/model\/\w+\/./.test(asked.path)) return undefined;
    const reply = await perform(asked);
    const shown: unknown = JSON.parse(reply.body);
    if (!Array.isArray(shown) || shown.length === 0) return reply;
    const moved = turn++ % shown.length;
    return { ...reply, body: [...shown.slice(moved), ...shown.slice(0, moved)] };
  });
  const { learned } = await observe({ baseUrl });
  for (const setting of ['list.paging', 'list.sort'] as const)
    expect(learned.settings.get(setting)).toEqual({
      kind: 'unknown',
      reason: expect.stringMatching(/^the order of the list of crmContact changes between requests$/),
    });
  expect(learned.leftovers).toEqual([]);
});

it('a service whose deletes say yes and do nothing has its leftovers named, and no effect of a delete', async () => {
  const baseUrl = await mockBehind(({ method }) => (method === 'DELETE' ? { status: 204 } : undefined));
  const { learned } = await observe({ baseUrl });
  expect(learned.leftovers.length).toBeGreaterThan(5);
  expect(learned.settings.get('status.deleted')).toMatchObject({ kind: 'found', value: 204 });
  expect(learned.settings.get('delete.effect')).toMatchObject({
    kind: 'unknown',
    reason: 'a delete returned 204 but did not change the record',
  });
});

describe('a service that says the same to whatever is asked', () => {
  it.each([
    [null],
    [{ user: null, ok: true }],
    [{ count: 0 }],
    [{ error: null, data: { id: 1, name: 'x' } }],
  ])('is written nothing to where that may be an empty list: %j', async (body) => {
    const { learned, sent } = await learn(() => ({ body }), { write: true });
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(learned.warning).toBe('no list succeeded');
  });

  it('is learned where it refuses a model that it does not have', async () => {
    const known = (url: URL) => catalogue.models.has(url.pathname.split('/')[3] ?? '');
    const { learned } = await learn((url) => (known(url) ? { body: null } : { status: 404 }));
    expect(learned.warning).toBe(undefined);
  });
});

const { closing } = useForeignService();

/** An answer to one request that has nothing to do with it. */
const ODD = { status: 200, body: [] };
const REDIRECT = { status: 302, headers: { location: 'http://127.0.0.1:1/' } };
const ANOTHER = { status: 200, body: { id: 1, name: 'another' } };

type Odd = (asked: Asked, perform: () => Promise<unknown>) => Promise<Reply | undefined> | Reply | undefined;

/** Counts the times that something was seen. */
function counter() {
  const seen = new Map<string, number>();
  return (key: string): number => {
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return seen.get(key) ?? 0;
  };
}

test.each<[what: string, model: string, make: (count: ReturnType<typeof counter>) => Odd]>([
  [
    'a create shows the ID of another record, and a list nothing',
    'brand',
    (count) =>
      ({ method, path }) => {
        if (!path.startsWith('/api/model/brand')) return undefined;
        if (method === 'GET' && path === '/api/model/brand' && count('list') === 1) return ODD;
        return method === 'POST' && count('create') === 1 ? ANOTHER : undefined;
      },
  ],
  [
    'an update is done without an answer, and the delete after it only seems to be',
    'locker',
    (count) => {
      let unanswered = '';
      return async ({ method, path }, perform) => {
        if (!/locker\/\d/.test(path)) return undefined;
        if (method === 'POST' && count('update') === 30) {
          unanswered = path;
          await perform();
          return REDIRECT;
        }
        return method === 'DELETE' && path === unanswered && count(path) === 1 ? ODD : undefined;
      };
    },
  ],
  ...([REDIRECT, ANOTHER] as const).map((look): [string, string, (count: (key: string) => number) => Odd] => [
    `a delete only seems to be done, and the look after it shows ${look === REDIRECT ? 'a redirect' : 'another record'}`,
    'locker',
    (count) => {
      let unclear = '';
      return ({ method, path }) => {
        if (!/locker\/\d/.test(path)) return undefined;
        if (method === 'DELETE' && count('delete') === 30) {
          unclear = path;
          return ODD;
        }
        return method === 'GET' && path === unclear && count(path) === 1 ? look : undefined;
      };
    },
  ]),
  [
    'the first look at a parent shows another record',
    'stockOrder',
    (count) =>
      ({ method, path }) =>
        method === 'GET' && /stockOrder\/\d/.test(path) && count(path) === 1 ? ANOTHER : undefined,
  ],
])('nothing is lost, and all that is left is named, where %s', async (_, model, make) => {
  const service = closing(await startPlain());
  const odd = make(counter());
  const { url, close } = await startRecordingProxy(service.url, (asked, _, { perform }) =>
    odd(asked, () => perform(asked)),
  );
  const before = service.live();
  try {
    const { leftovers } = await learnAndCheck(url, { models: [model] });
    const after = service.live();
    expect(before.filter((record) => !after.includes(record))).toEqual([]);
    const left = after.filter((record) => !before.includes(record));
    expect(left.filter((record) => !leftovers.includes(record))).toEqual([]);
  } finally {
    await close();
  }
});
