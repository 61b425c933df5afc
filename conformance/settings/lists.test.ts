import { expect, test } from 'vitest';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { against, check, idsAgainst } from '../../testing/checks.ts';
import { checkMock, startMockService, useService } from '../../testing/mock-service.ts';
import type { Defect } from '../../testing/services/defects/defect.ts';
import { createAt } from '../../testing/services/service.ts';
import { learnAndCheck, learnTerms, useForeignService } from '../../testing/use-foreign-service.ts';

const { closing } = useService();
const { start } = useForeignService();

/** Serves lists whose total is too high, or whose filters also show records with a part of the value. */
async function serve(
  fault: 'none' | 'filtered total' | 'counts deleted' | 'filters by part',
  field = '',
  names: readonly string[] = ['Ace', 'Lob', 'Volley'],
) {
  let gone = 0;
  const service = await startMockService({}, (answer) => async (request, sent) => {
    const { method, url = '' } = request;
    if (fault === 'filters by part') {
      const loose = field === '' ? /\?(\w+)=(?=[^=]*$)/ : new RegExp(`[?](${field})=`);
      request.url = url.replace(loose, (query, name) =>
        /^(id|limit|offset|sort|priority)$/.test(name) ? query : `?${name}[contains]=`,
      );
    }
    const reply = await answer(request, sent);
    if (method === 'DELETE' && reply.status === 200) gone++;
    const total = Number(reply.headers?.['x-total-count'] ?? Number.NaN);
    const more = fault === 'counts deleted' ? gone : Number(/[?&]id=/.test(url));
    if (Number.isNaN(total) || !['filtered total', 'counts deleted'].includes(fault)) return reply;
    return { ...reply, headers: { ...reply.headers, 'x-total-count': String(total + more) } };
  });
  for (const name of names) await createAt(service.url, 'brand', { name });
  return closing(service).url;
}

test.each([
  ['filtered total', '', 'profile.list.filter:brand.id'],
  ['counts deleted', '', 'profile.response.total:brand'],
  ['filters by part', 'name', 'profile.list.filter:brand.name'],
] as const)('a list with the fault "%s" fails', async (fault, field, id) => {
  const results = await check(await serve(fault, field), { models: ['brand'] });
  expect(idsAgainst(results)).toContain(id);
});

test('a filter can find more records than the first page has, even if the page size is unknown', async () => {
  const pages = { style: 'offset', size: 'limit', from: 'offset', max: 500 };
  const service = closing(await startMockService({ settings: { 'list.paging': { ...pages, default: 4 } } }));
  for (const name of ['Ace', 'Lob', 'Volley', 'Smash', 'Slice'])
    await createAt(service.url, 'customerTag', { name, isDefault: false, public: true });
  const results = await check(service.url, {
    models: ['customerTag'],
    settings: { 'list.paging': { ...pages, default: 'unknown' } },
    rules: ['profile.list.filter'],
  });
  expect(against(results)).toEqual([]);
});

/** How a service filters by one field, and the total that it states. */
type Fault = { readonly filter?: Filter; readonly total?: Total };
type Filter = { readonly by: string; readonly matches: (value: unknown, wanted: string) => boolean };
type Total = (total: number, shown: number, url: string) => number;

const FAULTS: Readonly<Record<string, readonly [id: string, fault: Fault]>> = {
  'states the size of the page as total': ['profile.response.total:brand', { total: (_, shown) => shown }],
  'states a wrong total next to a later page': [
    'profile.response.total:brand',
    { total: (total, _, url) => total + Number(/offset=[1-9]/.test(url)) },
  ],
  'states a wrong total next to filtered records': [
    'profile.list.filter:brand.name',
    { total: (total, _, url) => (url.includes('?name=') ? 999 : total) },
  ],
  'ignores the filter for a value list': [
    'profile.list.filter:locker.status',
    { filter: { by: 'status', matches: () => true } },
  ],
  'ignores the filter for false': [
    'profile.list.filter:customerTag.public',
    { filter: { by: 'public', matches: (value, wanted) => wanted === 'false' || String(value) === wanted } },
  ],
  'compares only whole numbers in filters': [
    'profile.list.filter:deposit.balance',
    {
      filter: {
        by: 'balance',
        matches: (value, wanted) => Math.trunc(Number(value)) === Math.trunc(Number(wanted)),
      },
    },
  ],
};

test.each(Object.entries(FAULTS))(
  'a service with initially empty lists that %s fails',
  async (_, [id, { filter, total }]) => {
    const models = [/:(\w+)/.exec(id)?.[1] ?? ''];
    const results = await checkMock({ models }, (answer) => async (request, sent) => {
      const { method, url = '' } = request;
      const wanted = new URL(url, 'http://service').searchParams.get(filter?.by ?? '');
      if (method === 'GET' && wanted !== null) request.url = url.replace(/[?].*/, '');
      const { body, ...reply } = await answer(request, sent);
      if (!Array.isArray(body)) return { body, ...reply };
      const shown = wanted === null ? body : body.filter((one) => filter?.matches(one[filter.by], wanted));
      const stated = wanted === null ? Number(reply.headers?.['x-total-count']) : shown.length;
      const other = String(total?.(stated, shown.length, url) ?? stated);
      return { ...reply, body: shown, headers: { ...reply.headers, 'x-total-count': other } };
    });
    expect(idsAgainst(results)).toEqual([id]);
  },
);

test.each([
  ['none', 'contains', []],
  ['filters by part', 'unknown', ['Ace', 'Lob', 'Volley']],
  ['filters by part', 'unknown', []],
] as const)(
  'with the fault "%s", learn finds the filter %s from the names %j',
  async (fault, filter, names) => {
    const { profile } = await learnTerms(await serve(fault, '', names), { models: ['brand'] });
    expect(profile.unknown['list.filter'] === undefined ? profile['list.filter'] : 'unknown').toBe(filter);
  },
);

test('a service that returns money with four decimals, and filters only by this form, passes', async () => {
  const text = (money: unknown) => (typeof money === 'string' ? Number(money).toFixed(4) : money);
  const shown = (record: unknown) =>
    typeof record === 'object' && record !== null && 'balance' in record
      ? { ...record, balance: text(record.balance) }
      : record;
  const settings = { 'types.currency': 'string' };
  const service = await startMockService({ settings }, (answer) => async (request, sent) => {
    const wanted = new URL(request.url ?? '', 'http://service').searchParams.get('balance');
    const reply = await answer(request, sent);
    if (wanted !== null && text(wanted) !== wanted) return { ...reply, body: [] };
    return { ...reply, body: Array.isArray(reply.body) ? reply.body.map(shown) : shown(reply.body) };
  });
  const models = ['deposit'];
  expect(against(await learnAndCheck(closing(service).url, { models }))).toEqual([]);
});

test('a service with short pages that ignores a search parameter passes', async () => {
  const paging = { style: 'offset', size: 'limit', from: 'offset', default: 3, max: 100 } as const;
  const settings = { 'list.filter': 'equality', 'list.paging': paging } as const;
  const service = await startMockService({ settings }, (answer) => (request, sent) => {
    if (/%5B|\[/.test(request.url ?? '')) request.url = request.url?.replace(/\?.*/, '');
    return answer(request, sent);
  });
  // The first page without a size only has strings with the part that the suite searches for. The next page has another.
  for (const name of ['name 1', 'name 2', 'name 3', '4']) await createAt(service.url, 'brand', { name });
  const models = ['brand'];
  const profile = { ...DEFAULT_PROFILE, ...settings };
  const results = await check(closing(service).url, { profile, models });
  expect(against(results)).toEqual([]);
});

test.each([
  ['accepts it in an update', '"name":""', 'profile.request.blankStrings'],
  ['stores it for null in an update', '"name":null', 'required.on-update'],
])('a service fails that rejects an empty string in a create, and %s', async (_, part, rule) => {
  const blank = new Set<string>();
  const results = await checkMock({ models: ['brand'], rules: [rule] }, (answer) => async (request, sent) => {
    const { method, url = '' } = request;
    const isBlanked = method === 'POST' && /\/brand\/\d+$/.test(url) && sent.includes(part);
    if (isBlanked) blank.add(url);
    if (!blank.has(url) || method === 'DELETE') return answer(request, sent);
    if (isBlanked) request.method = 'GET';
    const reply = await answer(request, isBlanked ? '' : sent);
    return { ...reply, body: { ...(reply.body as object), name: '' } };
  });
  expect(against(results).map(({ id }) => id.replace(/:.*/, ''))).toEqual([rule]);
});

const PLAIN = ['sort=field', 'filter=equality', 'begins=empty'];
const TAGS = ['list.shows-record:customerTag', 'list.shows-update:customerTag'];

test.each<[string, Partial<Defect>, string[]]>([
  ['omits the oldest record', { listed: (rows) => rows.slice(1) }, ['list.shows-record:brand']],
  [
    'omits a record with the name of another',
    { listed: (rows) => rows.filter(({ name }, at) => rows.findIndex((row) => row.name === name) === at) },
    ['list.shows-record:brand'],
  ],
  ['omits records that are not the default', { listed: (rows) => rows.filter((row) => row.isDefault) }, TAGS],
  [
    'has a value of another type on a later page',
    {
      page: (rows, all) =>
        rows[0] === all[0] ? rows : rows.map((row) => ({ ...row, deleted: String(row.deleted) })),
    },
    ['fields.type:brand.deleted'],
  ],
])('a service fails if its list %s', async (_, defect, ids) => {
  const { url } = await start(defect, 'sort=field', 'begins=empty');
  const plan = { models: [/:(\w+)/.exec(ids.join())?.[1] ?? ''], rules: ['fields', 'list', 'profile.pages'] };
  expect(idsAgainst(await check(url, plan))).toEqual(ids);
});

test.each(['sort', 'name'])(
  'a service fails if its lists show deleted records when the query has %s',
  async (parameter) => {
    const models = ['brand'];
    const { profile } = await learnTerms((await start({}, ...PLAIN)).url, { models });
    const { url } = await start({ showsMarked: (query) => query.has(parameter) }, ...PLAIN);
    const failed = idsAgainst(await check(url, { models, profile }));
    expect(failed).toEqual(['profile.delete.effect:brand']);
  },
);

test('a service passes if it shows marked records, and only the first records of a list', async () => {
  const settings = {
    'delete.effect': 'mark-listed',
    'list.paging': 'none',
    'list.sort': 'fields sort',
    'list.filter': 'equality',
  } as const;
  const service = await startMockService({ settings }, (answer) => async (request, sent) => {
    const reply = await answer(request, sent);
    const isCut = request.method === 'GET' && request.url?.endsWith('/brand') && Array.isArray(reply.body);
    return isCut ? { ...reply, body: reply.body.slice(0, 3) } : reply;
  });
  const { url } = closing(service);
  const models = ['brand', 'voucherCategory'];
  expect(against(await learnAndCheck(url, { models }))).toEqual([]);
});
