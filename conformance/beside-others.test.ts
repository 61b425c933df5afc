import { describe, expect, test } from 'vitest';
import { against, check } from '../testing/checks.ts';
import { find, TASKS, task, useService } from '../testing/mock-service.ts';
import type { Asked, Reply } from '../testing/proxies/recording-proxy.ts';
import { BASE } from '../testing/services/service.ts';
import { learnTerms, useForeignService } from '../testing/use-foreign-service.ts';
import type { Target } from './target/target.ts';

const { start, startUrl } = useService();
const { serve } = useForeignService();

describe('a service that others work with', () => {
  /** In milliseconds. */
  const SOON = { looks: [5] };
  /** Returns a different list each time, for this number of looks. */
  const busyFor = (looks: number) => {
    let times = 0;
    return ({ method, path }: Asked): Reply | undefined => {
      if (method !== 'GET' || !path.startsWith(`${TASKS}?`)) return undefined;
      times++;
      return { body: [task(1), ...(times < looks ? [task(100 + times)] : [])] };
    };
  };

  test('is not blamed for what changes beside an operation that does not exist', async () => {
    const url = await startUrl(busyFor(4));
    const results = await check(url, { ...SOON, models: ['subscriptionTask'], rules: ['absent.operation'] });
    expect(find(results, 'absent.operation:subscriptionTask=delete').outcome).toBe('pass');
  });

  test('is not judged where that changes without a write, too', async () => {
    const url = await startUrl(busyFor(Number.POSITIVE_INFINITY));
    const results = await check(url, { ...SOON, models: ['subscriptionTask'], rules: ['absent.operation'] });
    expect(find(results, 'absent.operation:subscriptionTask=delete')).toMatchObject({
      outcome: 'skip',
      message: 'the list of subscriptionTask also changes without a write',
    });
  });
});

test('pages that shift because another client deletes a record are read again', async () => {
  const url = await startUrl();
  const headers = { 'content-type': 'application/json' };
  for (const name of ['A', 'B', 'C', 'D'])
    await fetch(`${url}${BASE}/brand`, { method: 'POST', headers, body: JSON.stringify({ name }) });
  let deleted = 0;
  const wrap = (target: Target): Target => ({
    ...target,
    send: async (request, record) => {
      const answer = await target.send(request, record);
      const isPage = request.path.endsWith('/brand') && Number(request.query?.limit) < 10;
      if (isPage && deleted < 2) await fetch(`${url}${BASE}/brand/${++deleted}`, { method: 'DELETE' });
      return answer;
    },
  });
  const results = await check(url, { wrap, models: ['brand'], rules: ['advice.pages-part-list'] });
  expect(deleted).toBe(2);
  expect(find(results, 'advice.pages-part-list:brand').outcome).toBe('pass');
});

test('a total that grows because another client creates records is not judged', async () => {
  const url = await startUrl();
  const headers = { 'content-type': 'application/json' };
  const create = () =>
    fetch(`${url}${BASE}/brand`, { method: 'POST', headers, body: JSON.stringify({ name: 'A' }) });
  for (let made = 0; made < 510; made++) await create();
  let grown = 0;
  const wrap = (target: Target): Target => ({
    ...target,
    send: async (request, record) => {
      const answer = await target.send(request, record);
      if (request.method === 'GET' && request.path.endsWith('/brand') && ++grown) await create();
      return answer;
    },
  });
  const results = await check(url, { wrap, models: ['brand'], rules: ['profile.response.total'] });
  expect(grown).toBeGreaterThan(2);
  expect(find(results, 'profile.response.total:brand')).toMatchObject({
    outcome: 'skip',
    message: 'other clients change the list while its pages are read',
  });
});

describe('a service with ids beyond 2^53', () => {
  /** Rounded, both are the same number. */
  const [older, made] = ['9007199254740992', '9007199254740993'];
  const brand = (id: string) => `{"id":${id},"name":"A","deleted":false}`;

  test.each([
    ['shows some', [older]],
    ['shows none before it is written to', []],
  ])('that %s is not judged, and no request goes to another record', async (_, before) => {
    const asked: string[] = [];
    const url = await startUrl(({ method, path }) => {
      asked.push(`${method} ${path}`);
      if (method === 'POST') return { status: 201, body: brand(made) };
      if (method === 'DELETE') return { body: brand(made) };
      return /\/brand(\?|$)/.test(path) ? { body: `[${before.map(brand).join()}]` } : { status: 404 };
    });
    const rules = ['create', 'update', 'delete', 'readonly', 'required', 'list'];
    const results = await check(url, { models: ['brand'], rules });
    expect(results.counts).toMatchObject({ fail: 0, pass: 0, error: 0 });
    expect(find(results, 'create.keeps-field:brand.name')).toMatchObject({
      outcome: 'blocked',
      limited: true,
      message: expect.stringMatching(
        /^the ID \d+ of a brand is above 2\^53, and the suite can't represent such a number exactly, so it sends no more requests for it$/,
      ),
    });
    const written = asked.filter((line) => !line.startsWith('GET') && line !== 'POST /api/model/brand');
    expect(new Set(written)).toEqual(new Set(before.length > 0 ? [] : [`DELETE /api/model/brand/${made}`]));
    expect(results.leftovers).toEqual([]);
  });
});

describe('a service that takes its time', () => {
  const checkBrands = async (
    meddle: (asked: Asked) => Reply | undefined,
    rules = ['operations.create-required'],
  ) => {
    const { service, url } = await start(meddle);
    const before = await service.count();
    const { leftovers } = await check(url, { models: ['brand'], rules, looks: [0, 5, 5] });
    return { leftovers, more: (await service.count()) - before };
  };

  test('to delete has nothing left behind once it is done', async () => {
    const looks = new Map<string, number>();
    const { leftovers } = await checkBrands(({ method, path }) => {
      if (method === 'DELETE') looks.set(path, looks.get(path) ?? 0);
      const seen = looks.get(path);
      if (seen === undefined) return undefined;
      if (method === 'GET') looks.set(path, seen + 1);
      if (method === 'GET' && seen < 2) return undefined;
      return { status: method === 'GET' ? 404 : 202 };
    });
    expect([...looks.values()].some((seen) => seen > 2)).toBe(true);
    expect(leftovers).toEqual([]);
  });

  test('to show what was made has that removed when it shows it', async () => {
    const asked = new Set<string>();
    const { leftovers, more } = await checkBrands(({ method, path }) => {
      if (method !== 'DELETE' || asked.has(path)) return undefined;
      asked.add(path);
      return { status: 404 };
    });
    expect(asked.size).toBeGreaterThan(0);
    expect({ leftovers, more }).toEqual({ leftovers: [], more: 0 });
  });

  test('over some of the creates at once, and refuses another, has all of them removed', async () => {
    let creates = 0;
    // The fourth create is one of those at once, and the eighth repeats it with short texts.
    const { service, url } = await start(({ method, path }) =>
      method === 'POST' && path === '/api/model/brand' && [4, 8].includes(++creates)
        ? { status: 422 }
        : undefined,
    );
    const before = await service.count();
    const results = await check(url, {
      models: ['brand'],
      rules: ['advice.create-at-once', 'advice.id-not-reused'],
      retry: false,
    });
    expect(find(results, 'advice.create-at-once:brand').outcome).toBe('skip');
    expect(find(results, 'advice.id-not-reused:brand').outcome).toBe('pass');
    expect(creates).toBe(10);
    expect({ leftovers: results.leftovers, more: (await service.count()) - before }).toEqual({
      leftovers: [],
      more: 0,
    });
  });

  test('and never deletes has it named', async () => {
    // Some rules also count these as deleted.
    const { leftovers, more } = await checkBrands(
      ({ method }) => (method === 'DELETE' ? { status: 202 } : undefined),
      ['operations.create-required', 'delete', 'advice.id-not-reused'],
    );
    expect(leftovers.length).toBe(more);
    expect(more).toBeGreaterThan(0);
  });
});

describe('a message that quotes the target', () => {
  test.each([150, 185, 199])(
    'shows no part of a secret that a cut after %i characters leaves',
    async (length) => {
      const secret = 'S3CRETtoken-abcdefghijklmnop';
      const url = await startUrl(({ method, path }) =>
        method === 'POST' && path === '/api/model/brand'
          ? { status: 422, body: `${'.'.repeat(length)}${secret} was sent` }
          : undefined,
      );
      const results = await check(url, {
        connection: { credentials: { authorization: `Bearer ${secret}` } },
        models: ['brand'],
        rules: ['absent.put'],
      });
      expect(find(results, 'absent.put:brand').message).toContain(
        'a valid brand could not be created: POST /api/model/brand returned 422: ......................................................................................................................................................',
      );
      expect(JSON.stringify(results)).not.toContain(secret.slice(0, 6));
    },
  );
});

test('a list in parts may move on while another makes records', async () => {
  const url = await serve('paging=cursor', 'size=2', 'order=newest');
  const learned = await learnTerms(url, { models: ['brand'] });
  let made = 0;
  const wrap = (target: Target): Target => ({
    ...target,
    async send(request, record) {
      const body = JSON.stringify({ name: `theirs ${made}` });
      const headers = { 'content-type': 'application/json' };
      if (request.query?.cursor !== undefined && made++ < 40)
        await fetch(`${url}${BASE}/brand`, { method: 'POST', body, headers });
      return target.send(request, record);
    },
  });
  const results = await check(url, { models: ['brand'], rules: ['list'], wrap, ...learned });
  expect(against(results)).toEqual([]);
  expect(made).toBeGreaterThan(0);
});

test.each(['offset', 'page', 'cursor'])(
  'no rule about lists fails while another client creates a record after each read of a list of newest first (paging by %s)',
  async (paging) => {
    const url = await serve(`paging=${paging}`, 'order=newest');
    const create = () =>
      fetch(`${url}${BASE}/brand`, {
        method: 'POST',
        body: JSON.stringify({ name: 'theirs' }),
        headers: { 'content-type': 'application/json' },
      });
    for (let made = 0; made < 5; made++) await create();
    const learned = await learnTerms(url, { models: ['brand'] });
    let made = 0;
    const wrap = (target: Target): Target => ({
      ...target,
      async send(request, record) {
        const answer = await target.send(request, record);
        if (request.method === 'GET' && request.path.endsWith('/brand') && ++made) await create();
        return answer;
      },
    });
    const rules = ['list', 'profile', 'advice'];
    const results = await check(url, { models: ['brand'], rules, wrap, ...learned });
    expect(against(results)).toEqual([]);
    expect(made).toBeGreaterThan(10);
  },
);

test('records of another client that appear with each update are no failure if they stop', async () => {
  const most = 6;
  const url = await startUrl();
  const sent = new Map<string, object>();
  let others = 0;
  const wrap = (target: Target): Target => ({
    ...target,
    send: async (request, record) => {
      const answer = await target.send(request, record);
      if (request.method !== 'POST' || !request.path.includes('/accessControlLog')) return answer;
      const path = `${BASE}/accessControlLog`;
      const isUpdate = request.path !== path;
      const id = isUpdate ? (request.path.split('/').at(-1) ?? '') : String(JSON.parse(answer.body).id);
      sent.set(id, { ...sent.get(id), ...JSON.parse(request.body ?? '{}') });
      // The other client stops before the case is tried again.
      if (isUpdate && others < most) {
        others++;
        const headers = { 'content-type': 'application/json' };
        await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(sent.get(id)) });
      }
      return answer;
    },
  });
  const results = await check(url, {
    wrap,
    models: ['accessControlLog'],
    rules: ['update.keeps-other-records'],
  });
  expect(others).toBe(most);
  expect(find(results, 'update.keeps-other-records:accessControlLog').outcome).toMatch(/^(pass|skip)$/);
});
