import { describe, expect, test } from 'vitest';
import { readYaml } from '../spec/files/yaml-file.ts';
import { createProfile } from '../spec/profile/profile.ts';
import { against, catalogue, check, references } from '../testing/checks.ts';
import { type Answer, startReferenceService } from '../testing/reference-service/reference-service.ts';
import { find, useService } from '../testing/reference-service/use-service.ts';
import { complaints, learnAndCheck, learnTerms } from '../testing/use-foreign-service.ts';
import { learnProfile } from './learn/learn.ts';
import { renderProfile } from './learn/render-learned.ts';
import { NOWHERE } from './records/values/links.ts';
import { headline } from './results/verdict.ts';
import { createTarget } from './target/target.ts';

const { closing, startUrl } = useService();

/** A service whose models do not agree on some settings: it has two implementations, and each model uses one. */
async function serveTwo(odd: readonly string[], settings: Readonly<Record<string, unknown>>) {
  let other: Answer | undefined;
  const keep = (answer: Answer) => {
    other = answer;
    return answer;
  };
  closing(await startReferenceService({ catalogue, references, settings }, keep));
  const usual = await startReferenceService({ catalogue, references }, (answer) => (request, body) => {
    const isOdd = odd.some((model) => RegExp(`/${model}(/|\\?|$)`).test(request.url ?? ''));
    return isOdd && other ? other(request, body) : answer(request, body);
  });
  return closing(usual);
}

const MODELS = ['brand', 'warehouse', 'lockerType', 'locker', 'crmContact'];

describe.each([
  ['the first models', ['brand', 'warehouse']],
  ['other models', ['lockerType', 'locker']],
])('a service where %s differ', (_, odd) => {
  test.each([
    { 'status.created': 200 },
    { 'status.updated': 202 },
    { 'status.deleted': 202 },
    { 'status.deleted': 204 },
    { 'status.invalid': 400 },
    { 'status.unparsable': 415 },
    { 'status.unknownRecord': 410 },
    { 'status.noOperation': 501 },
    { 'errors.form': 'simple' },
    { 'delete.answer': 'flag' },
    { 'delete.answer': 'none' },
    { 'delete.effect': 'remove' },
    { 'request.unknownFields': 'ignore' },
    { 'request.readonlyFields': 'reject' },
    { 'request.update': 'full' },
    { 'response.unset': 'absent' },
    { 'response.total': 'none' },
    { 'list.paging': 'page' },
    { 'list.paging': 'none' },
    { 'list.sort': 'none' },
    { 'list.filter': 'none' },
  ])('in %j passes with the learned profile', async (settings) => {
    const { url } = await serveTwo(odd, settings);
    expect(complaints(await learnAndCheck(url, { models: MODELS }))).toEqual([]);
  });
});

describe('a service where lists of two models', () => {
  const ODD = ['locker', 'lockerType'];

  test('reject sorting and filters passes with the learned profile', async () => {
    const url = await startUrl(({ method, path }) => {
      const [, model = '', query = ''] = /\/(\w+)\?(.*)$/.exec(path) ?? [];
      const isPaged = /^((offset|limit)=\d+&?)*$/.test(query);
      return method === 'GET' && ODD.includes(model) && !isPaged
        ? { status: 422, body: { error: 'unknown parameter' } }
        : undefined;
    });
    expect(complaints(await learnAndCheck(url, { models: MODELS }))).toEqual([]);
  });

  test('have no pages is named for what was not judged', async () => {
    const url = await startUrl(({ method, path }) => {
      const [, model = '', query = ''] = /\/(\w+)\?(.*)$/.exec(path) ?? [];
      return method === 'GET' && ODD.includes(model) && /offset|limit/.test(query)
        ? { status: 422, body: { error: 'unknown parameter' } }
        : undefined;
    });
    const results = await learnAndCheck(url, { models: MODELS });
    expect(complaints(results)).toEqual([]);
    expect(headline(results)).toContain('list.shows-record:locker');
  });
});

describe('a profile in a file that was learned', () => {
  test('gives the verdict that a run without a file gives', async () => {
    const { url } = await serveTwo(['locker', 'lockerType'], {
      'status.created': 200,
      'request.update': 'full',
    });
    const profile = await learnFile(url);
    const results = await check(url, { profile, profileName: 'learned.yaml', models: MODELS });
    expect(complaints(results)).toEqual([]);
    expect(find(results, 'profile.status.created:locker')).toMatchObject({
      outcome: 'skip',
      message: expect.stringContaining('the models of this service use different options'),
    });
  });

  test('is outdated when no model fits it', async () => {
    const service = closing(await startReferenceService({ catalogue, references }));
    const profile = await learnFile(service.url);
    const settings = { 'status.created': 200 };
    const changed = closing(await startReferenceService({ catalogue, references, settings }));
    const rules = ['profile.status.created'];
    const results = await check(changed.url, { profile, profileName: 'learned.yaml', rules });
    const failed = new Set(against(results).map(({ model }) => model));
    expect([...failed]).toEqual(expect.arrayContaining(MODELS));
  });

  test.each([{ models: ['locker'] }, { failFast: true }])(
    'fits a model that differs, also with %j',
    async (more) => {
      const { url } = await serveTwo(['locker'], { 'status.created': 200, 'status.unknownRecord': 410 });
      const profile = await learnFile(url);
      const models = ['locker', 'brand'];
      const results = await check(url, { profile, profileName: 'learned.yaml', models, ...more });
      expect(complaints(results)).toEqual([]);
      expect(results.cases).toHaveLength(results.planned);
    },
  );

  test('that nobody learned has to fit each model', async () => {
    const { url } = await serveTwo(['locker', 'lockerType'], { 'status.created': 200 });
    const results = await check(url, { models: MODELS, rules: ['profile.status.created'] });
    expect(against(results).map(({ model }) => model)).toEqual(['locker', 'lockerType']);
  });
});

async function learnFile(url: string) {
  const target = createTarget({ baseUrl: url });
  const text = renderProfile(await learnProfile({ catalogue, references, target, write: true }));
  await target.close();
  return createProfile(readYaml(text, 'learned.yaml').value as Record<string, unknown>, catalogue);
}

describe('links', () => {
  const LINKING = ['bookingDrawItem', 'ecommerceOrder', 'multipackResourceType', 'voucherTransaction'];

  test.each(LINKING)('of %s may be checked by a service that does not check others', async (odd) => {
    const isChecked = RegExp(`/${odd}$`);
    const url = await startUrl(({ body, method, path }) =>
      method === 'POST' && isChecked.test(path) && body.includes(String(NOWHERE))
        ? { status: 400, body: { error: 'customer refers to nothing' } }
        : undefined,
    );
    expect(complaints(await learnAndCheck(url, { models: LINKING }))).toEqual([]);
  });

  test('that are required may be the only ones that are checked', async () => {
    const settings = { 'request.references': 'some' };
    const { url } = closing(await startReferenceService({ catalogue, references, settings }));
    const terms = await learnTerms(url);
    expect(terms.profile['request.references']).toBe('some');
    expect(complaints(await check(url, { ...terms, models: LINKING }))).toEqual([]);
  });
});

test.each([
  ['/data', { id: 3, deleted: true }, 'pass'],
  ['', { id: 3, deleted: true }, 'pass'],
  ['/data', { deleted: true }, 'pass'],
  ['', { success: true, id: 3 }, 'pass'],
  ['/data', 'gone', 'skip'],
])('a service with records at "%s" may respond to a delete with %j', async (place, body, outcome) => {
  const settings = { 'response.record': place, 'response.records': place, 'response.total': 'none' };
  const service = await startReferenceService(
    { catalogue, references, settings },
    (answer) => (request, sent) => {
      const reply = answer(request, sent);
      const id = Number(request.url?.split('/').at(-1));
      if (request.method !== 'DELETE' || reply.status !== 200) return reply;
      return { status: 200, body: typeof body === 'object' && 'id' in body ? { ...body, id } : body };
    },
  );
  const results = await learnAndCheck(closing(service).url, { models: ['brand', 'locker', 'crmContact'] });
  expect(complaints(results)).toEqual([]);
  expect(find(results, 'profile.delete.answer:brand').outcome).toBe(outcome);
});
