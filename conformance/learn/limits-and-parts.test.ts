import { expect, it } from 'vitest';
import { changeProfile, DEFAULT_PROFILE, pagesOf, profileAt } from '../../spec/profile/profile.ts';
import { against, catalogue, check } from '../../testing/checks.ts';
import { FEW, observe, observeMock } from '../../testing/profile/learning.ts';
import { IDS, recordsOf, unknownRecord, useStrangeService } from '../../testing/profile/strange-service.ts';
import type { Defect } from '../../testing/services/defects/defect.ts';
import {
  BARE,
  learnTerms,
  BARE_SETTINGS as settings,
  useForeignService,
} from '../../testing/use-foreign-service.ts';
import type { Target } from '../target/target.ts';

const { mockBehind, learn } = useStrangeService();

const { serve, start } = useForeignService();

it('learn finds the maximum length of each string, and check fails another length', async () => {
  const columns = { 'customer.name': 40, 'customer.firstName': 40, 'customer.phone': 17, 'brand.name': 300 };
  const lengths = new Map(Object.entries(columns));
  const baseUrl = await mockBehind(({ body, path }) => {
    const [, model] = /model\/(\w+)/.exec(path) ?? [];
    const isLong = ([place, most]: [string, number]) =>
      new RegExp(`^${place.replace('.', ' .*"')}":"[^"]{${most + 1}}`).test(`${model} ${body}`);
    return [...lengths].some(isLong) ? { status: 422 } : undefined;
  });
  const models = ['brand', 'customer'];
  const { learned } = await observe({ baseUrl }, { selected: new Set(models) });
  const { deviations, profile } = learned;
  const limits = Object.keys(columns).map((place) => [place, profileAt(profile, place)['limits.text']]);
  expect([profile['limits.text'], Object.fromEntries(limits), deviations]).toEqual(['none', columns, []]);
  const plan = { models, rules: ['profile.limits.text'], profile, looks: [0] };
  expect((await check(baseUrl, plan)).counts).toMatchObject({ pass: 4, fail: 0 });
  lengths.set('customer.phone', 18);
  expect(against(await check(baseUrl, plan))).toMatchObject([
    { id: 'profile.limits.text:customer.phone', expected: '17', found: '18 (status 422)' },
  ]);
});

it('a model whose first creates fail has the encoding of the others', async () => {
  const url = await serve(...BARE);
  let creates = 0;
  // The service accepts forms, too. The search for the reason of the refusal sends fewer creates than fail.
  const wrap = (target: Target): Target => ({
    ...target,
    send: (request, record) => {
      const { body = '', headers = {}, method, path } = request;
      const isForm = headers['content-type']?.includes('form') === true;
      const isFirst = method === 'POST' && path.endsWith('/brand') && !isForm && ++creates <= 7;
      if (!isForm) return target.send({ ...request, ...(isFirst && { body: '{' }) }, record);
      const json = JSON.stringify(Object.fromEntries(new URLSearchParams(body)));
      return target.send({ ...request, body: json, headers: { 'content-type': 'application/json' } }, record);
    },
  });
  const { profile } = await learnTerms(url, { models: ['warehouse', 'locker', 'brand'], wrap });
  expect(profile.except).toEqual({});
});

it('a maximum length in bytes is the same for each text of a model', async () => {
  const refuses: Defect['refuses'] = ({ sent = {} }) =>
    Object.values(sent).some((value) => typeof value === 'string' && Buffer.byteLength(value) > 255);
  const { url } = await start({ refuses }, ...BARE);
  const models = ['crmContact'];
  const learned = await learnTerms(url, { models });
  expect(learned.profile['limits.text']).toBe(255);
  expect(against(await check(url, { ...learned, models, rules: ['profile'] }))).toEqual([]);
});

it('learn finds all settings of a service that lacks models and rejects creates of others', async () => {
  const baseUrl = await mockBehind(({ method, path }) => {
    if (/\/(taskComment|voucherPrice)(\/|\?|$)/.test(path)) return { status: 404 };
    return method === 'POST' && /\/(brand|warehouse)$/.test(path) ? { status: 403 } : undefined;
  });
  const { learned, sent } = await observe({ baseUrl });
  const unknown = [...learned.settings].flatMap(([name, { kind }]) => (kind === 'unknown' ? name : []));
  expect(unknown).toEqual(['limits.rate']);
  expect(sent.filter(({ method, path }) => method === 'POST' && path.endsWith('/taskComment'))).toEqual([]);
});

it('learn finds the transitions of states in which no record can be created', async () => {
  const moves = { 'stockOrder.status': { 0: [1], 1: [2, 3], 2: [3], 3: [] } };
  const baseUrl = await mockBehind(
    ({ body, method, path }) =>
      method === 'POST' && path.endsWith('/stockOrder') && !body.includes('"status":0')
        ? { status: 422 }
        : undefined,
    { transitions: moves },
  );
  const { learned } = await observe({ baseUrl }, { selected: new Set(['brand', 'stockOrder']) });
  const { 'stockOrder.status': ofOrder } = moves;
  expect(learned.profile.transitions).toEqual({ 'stockOrder.status': { new: [0], ...ofOrder } });
});

it('a list that cannot be read is no proof that it has no total', async () => {
  const answers: Defect['answers'] = ({ id, method, model }) =>
    method === 'GET' && model === 'brand' && id === undefined ? 500 : undefined;
  const { url } = await start({ answers }, ...BARE);
  const rules = ['profile.response.total'];
  const { cases } = await check(url, { settings, models: ['brand'], rules, looks: [0] });
  expect(cases.map(({ outcome }) => outcome)).toEqual(['skip']);
});

it('learn finds a place of lists that contains the model name', async () => {
  const under = (nameOf: (model: string) => string) =>
    learn((url) => {
      if (unknownRecord(url)) return { status: 404 };
      return { body: { [nameOf(url.pathname.split('/')[3] ?? '')]: recordsOf(IDS), total: 5 } };
    });
  const snake = (model: string) => model.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const places = new Map([
    ['/{model_name}_items', (model: string) => `${snake(model)}_items`],
    ['/{models}', (model: string) => `${model.replace(/y$/, 'ie')}s`.replace('metricDatas', 'metricData')],
  ]);
  for (const [place, nameOf] of places) expect((await under(nameOf)).found('response.records')).toBe(place);
  expect((await under((model) => model.toUpperCase())).found('response.records')).toEqual({
    kind: 'unknown',
    reason: expect.stringMatching(/in a form that no profile supports, such as "\/[A-Z]+"$/),
  });
});

it('learn finds no page size in lists that grow between requests', async () => {
  let count = 5;
  const { found } = await learn((url) => {
    if (unknownRecord(url)) return { status: 404 };
    const at = Number(url.searchParams.get('offset') ?? 0);
    const size = Number(url.searchParams.get('limit') ?? 1000);
    const ids = Array.from({ length: count++ }, (_, index) => index + 1);
    return { body: recordsOf(ids.slice(at, at + size)) };
  });
  expect(found('list.paging')).toMatchObject({ size: 'limit', default: 'unknown', max: 'unknown' });
});

it('learn accepts a default page size above the default maximum size', async () => {
  const many = Array.from({ length: 700 }, (_, index) => index + 1);
  const { found, learned } = await learn((url) => {
    if (unknownRecord(url)) return { status: 404 };
    const at = Number(url.searchParams.get('offset') ?? 0);
    return { body: recordsOf(many.slice(at, at + Number(url.searchParams.get('limit') ?? 600))) };
  });
  expect(found('list.paging')).toMatchObject({ default: 600 });
  expect(pagesOf(changeProfile(learned.profile, {}, catalogue))?.max).toBeGreaterThanOrEqual(600);
});

it('learn finishes with lists of very many records with the same name', async () => {
  const many = Array.from({ length: 3000 }, (_, index) => ({ id: index + 1, name: 'the same' }));
  const body = JSON.stringify(many);
  const { found } = await learn(
    (url) => {
      if (unknownRecord(url)) return { status: 404 };
      const id = Number(url.searchParams.get('id') ?? 0);
      return { body: id > 0 ? many.filter((one) => one.id === id) : body };
    },
    { selected: new Set(['brand']) },
  );
  expect(found('list.filter')).toBeDefined();
});

it('learning without writes finds the settings that lists and records show', async () => {
  const { learned, sent } = await observeMock(DEFAULT_PROFILE, 'demo', { write: false, selected: FEW });
  expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
  const unknown = [...learned.settings].flatMap(([name, { kind }]) => (kind === 'unknown' ? name : []));
  expect(unknown.filter((name) => /^(response|types|auth|version)\./.test(name))).toEqual([]);
  expect(learned.settings.get('list.paging')).toMatchObject({ kind: 'found', value: { style: 'offset' } });
  expect(learned.settings.get('status.created')).toEqual({
    kind: 'unknown',
    reason: 'learning it needs --write',
  });
});

it('learning without writes and records leaves settings unknown', async () => {
  const { learned, sent } = await observeMock(DEFAULT_PROFILE, 'none', { write: false, selected: FEW });
  expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(learned.settings.get('response.records')).toMatchObject({ kind: 'found', value: '' });
  expect(learned.settings.get('types.currency')).toMatchObject({ kind: 'unknown' });
  expect(learned.profile).toEqual(DEFAULT_PROFILE);
});

it('an empty string that only one of two required fields accepts is a deviation of that field', async () => {
  const models = ['customer', 'brand'];
  const own = { 'customer.firstName': { 'request.blankStrings': 'accept' } } as const;
  const baseUrl = await mockBehind(() => undefined, { except: own });
  const { learned } = await observe({ baseUrl }, { selected: new Set(models) });
  expect(learned.profile.except).toEqual(own);
  const rules = ['profile.request.blankStrings'];
  const failed = async (profile: typeof DEFAULT_PROFILE) =>
    (await check(baseUrl, { models, rules, profile })).cases.flatMap(({ id, outcome }) =>
      outcome === 'fail' ? [id] : [],
    );
  expect(await failed(learned.profile)).toEqual([]);
  expect(await failed(DEFAULT_PROFILE)).toEqual(['profile.request.blankStrings:customer.firstName']);
});
