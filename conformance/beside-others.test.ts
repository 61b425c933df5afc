import { expect, test } from 'vitest';
import { against, check } from '../testing/checks.ts';
import { find, said, TASKS, task, useService } from '../testing/mock-service.ts';
import type { Asked, Reply } from '../testing/proxies/recording-proxy.ts';
import { after } from '../testing/proxies/wrap.ts';
import type { Defect } from '../testing/services/defects/defect.ts';
import { BASE, createAt } from '../testing/services/service.ts';
import {
  BARE,
  insert,
  learnTerms,
  BARE_SETTINGS as settings,
  useForeignService,
} from '../testing/use-foreign-service.ts';
import { verdictOf } from './results/results.ts';
import type { TargetRequest } from './target/target.ts';

const { start, startUrl } = useService();
const { serve, start: startForeign } = useForeignService();

test.each([
  [4, { outcome: 'pass' }],
  [
    Number.POSITIVE_INFINITY,
    { outcome: 'skip', message: 'the list of subscriptionTask also changes without a write' },
  ],
])('a list that another client changes %d times does not fail the service', async (most, expected) => {
  let times = 0;
  const url = await startUrl(({ method, path }) => {
    if (method !== 'GET' || !path.startsWith(`${TASKS}?`)) return undefined;
    times++;
    return { body: [task(1), ...(times < most ? [task(100 + times)] : [])] };
  });
  const plan = { looks: [5], models: ['subscriptionTask'], rules: ['absent.operation'] };
  expect(find(await check(url, plan), 'absent.operation:subscriptionTask=delete')).toMatchObject(expected);
});

const isList = ({ method, path }: TargetRequest) => method === 'GET' && path.endsWith('/brand');

test('a total that grows because another client creates records is skipped', async () => {
  const settings = { 'list.paging': { style: 'offset', default: 9, max: 9 } };
  const { url } = await start(undefined, { settings });
  for (let made = 0; made < 12; made++) await createAt(url, 'brand', { name: 'A' });
  let grown = 0;
  const wrap = after(async (request) => isList(request) && ++grown && createAt(url, 'brand', { name: 'A' }));
  const results = await check(url, { wrap, settings, models: ['brand'], rules: ['profile.response.total'] });
  expect(grown).toBeGreaterThan(2);
  expect(said(results, 'profile.response.total:brand')).toBe(
    'skip: other clients change the list while its pages are read',
  );
});

test('pages that shift because another client deletes a record are read again', async () => {
  const url = await startUrl();
  for (const name of ['A', 'B', 'C', 'D']) await createAt(url, 'brand', { name });
  let deleted = 0;
  const wrap = after(async (request) => {
    const isPage = isList(request) && Number(request.query?.limit) < 10;
    if (isPage && deleted < 2) await fetch(`${url}${BASE}/brand/${++deleted}`, { method: 'DELETE' });
  });
  const results = await check(url, { wrap, models: ['brand'], rules: ['profile.pages'] });
  expect(deleted).toBe(2);
  expect(find(results, 'profile.pages:brand').outcome).toBe('pass');
});

const checkBrands = async (meddle: (asked: Asked) => Reply | undefined) => {
  const { service, url } = await start(meddle);
  const before = await service.count();
  const plan = { models: ['brand'], rules: ['operations.create-required'], looks: [0, 5, 5] };
  const { leftovers } = await check(url, plan);
  return { leftovers, more: (await service.count()) - before };
};

test('after a slow asynchronous delete, the suite reports no leftovers', async () => {
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

test('a record that a service returns as missing at first is deleted when it appears', async () => {
  const asked = new Set<string>();
  const { leftovers, more } = await checkBrands(({ method, path }) => {
    if (method !== 'DELETE' || asked.has(path)) return undefined;
    asked.add(path);
    return { status: 404 };
  });
  expect(asked.size).toBeGreaterThan(0);
  expect({ leftovers, more }).toEqual({ leftovers: [], more: 0 });
});

test('if some concurrent creates are rejected and retried, the suite deletes all created records', async () => {
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
  expect(find(results, 'advice.id-not-reused:brand').outcome).toBe('skip');
  expect(find(results, 'advice.create-at-once:brand').outcome).toBe('pass');
  expect(creates).toBe(15);
  expect([results.leftovers, (await service.count()) - before]).toEqual([[], 0]);
});

test.each(['offset', 'cursor'])(
  'no rule about lists fails if another client adds a record after each read, newest first (paging by %s)',
  async (paging) => {
    const url = await serve(`paging=${paging}`, 'order=newest');
    for (let made = 0; made < 5; made++) await createAt(url, 'brand', { name: 'theirs' });
    const learned = await learnTerms(url, { models: ['brand'] });
    let made = 0;
    const wrap = after(
      async (request) => isList(request) && ++made && createAt(url, 'brand', { name: 'theirs' }),
    );
    const rules = ['list', 'profile', 'advice'];
    const results = await check(url, { models: ['brand'], rules, wrap, ...learned });
    expect(against(results)).toEqual([]);
    expect(made).toBeGreaterThan(10);
  },
);

const models = ['warehouse', 'taskComment'];

test('a record of another model, which no reference leads to, that is gone once another one is deleted is named, and nobody is blamed without a proof', async () => {
  const after: Defect['after'] = ({ model, on, tables }) =>
    on === 'delete' && model.name === 'warehouse' && tables.remove('taskComment', 1);
  const service = await startForeign({ after }, ...BARE);
  for (const body of ['an old one', 'another']) insert(service, 'taskComment', { body });
  const results = await check(service.url, { settings, models, looks: [0] });
  expect(against(results)).toEqual([]);
  expect(verdictOf(results)).toBe('conformant');
  expect(results.oddities?.join()).toMatch(/taskComment.\d+ no longer exists during the run/);
});

test.each([undefined, 5])(
  'the report names a record that another client changes, and the verdict stays the same (every %s ms)',
  async (every) => {
    const service = await startForeign({}, ...BARE);
    for (const name of ['one', 'two']) insert(service, 'brand', { name });
    const change = () =>
      service.tables.change('brand', 1, { name: `${service.tables.find('brand', 1)?.name}!` });
    const timer = every === undefined ? undefined : setInterval(change, every);
    let ended = 0;
    const onEvent = ({ type }: { type: string }) => {
      if (type !== 'case' || ++ended !== 20) return;
      insert(service, 'brand', { name: 'of somebody else', created: '2030-01-01T00:00:00Z' });
      change();
    };
    const results = await check(service.url, { settings, models: ['brand'], looks: [0], onEvent });
    clearInterval(timer);
    expect([against(results), verdictOf(results), results.leftovers]).toEqual([[], 'conformant', []]);
    expect(results.oddities?.join()).toMatch(
      /brand.1 changed during the run; another client might have written to it/,
    );
  },
);

test('a new record of another run that disappears with the first delete of this run fails nothing', async () => {
  let isDone = false;
  const after: Defect['after'] = ({ model, on, tables }) => {
    if (on === 'delete' && model.name === 'brand' && !isDone) isDone = tables.rowsOf('brand').delete(1);
  };
  const service = await startForeign({ after }, ...BARE);
  const created = new Date().toISOString();
  insert(service, 'brand', { name: 'without a tag', created });
  insert(service, 'warehouse', { name: 'name Eclat k3f9-1002', created });
  const results = await check(service.url, { settings, models: ['brand', 'warehouse'], looks: [0] });
  expect(isDone).toBe(true);
  expect([against(results), verdictOf(results)]).toEqual([[], 'conformant']);
});

test.each([
  ['is reported, if another client also writes', true, 'conformant'],
  ['makes the run inconclusive, if no other client writes', false, 'inconclusive'],
])('a record of the run that disappears once without a cause %s', async (_, isShared, verdict) => {
  let creates = 0;
  const after: Defect['after'] = ({ model, on, tables }) => {
    if (on !== 'create' || model.name !== 'warehouse' || ++creates !== 3) return;
    const brands = tables.rowsOf('brand');
    brands.delete(Math.max(...brands.keys()));
    if (isShared) insert({ tables }, 'brand', { name: 'of somebody else', created: '2030-01-01T00:00:00Z' });
  };
  const service = await startForeign({ after }, ...BARE);
  const results = await check(service.url, { settings, models: ['brand', 'warehouse'], looks: [0] });
  expect([verdictOf(results), against(results).map(({ outcome }) => outcome)]).toEqual([
    verdict,
    isShared ? [] : ['flaky'],
  ]);
});
