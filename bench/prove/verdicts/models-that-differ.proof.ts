import { describe, expect, test } from 'vitest';
import { learnProfile } from '../../../conformance/learn/learn.ts';
import { renderProfile } from '../../../conformance/learn/render-learned.ts';
import { createTarget } from '../../../conformance/target/target.ts';
import { readYaml } from '../../../spec/files/yaml-file.ts';
import { createProfile } from '../../../spec/profile/profile.ts';
import { against, catalogue, check, references } from '../../../testing/checks.ts';
import { type Answer, find, startMockService, useService } from '../../../testing/mock-service.ts';
import { complaints, learnAndCheck } from '../../../testing/use-foreign-service.ts';

const { closing, startUrl } = useService();

/** A service whose models do not agree on some settings: it has two implementations, and each model uses one. */
async function serveTwo(odd: readonly string[], settings: Readonly<Record<string, unknown>>) {
  let other: Answer | undefined;
  const keep = (answer: Answer) => {
    other = answer;
    return answer;
  };
  closing(await startMockService({ settings }, keep));
  const usual = await startMockService({}, (answer) => async (request, body) => {
    const isOdd = odd.some((model) => RegExp(`/${model}(/|\\?|$)`).test(request.url ?? ''));
    return isOdd && other ? other(request, body) : answer(request, body);
  });
  return closing(usual);
}

const MODELS = ['brand', 'warehouse', 'lockerType', 'locker'];

/** The models that a profile is learned from, with several amounts. */
const LEARNED = [...MODELS, 'shareTransfer', 'deposit', 'voucherType', 'customer'];

const SETTINGS = [
  { 'status.created': 200 },
  { 'status.updated': 202 },
  { 'errors.form': 'simple' },
  { 'delete.answer': 'none' },
  { 'request.update': 'full' },
  { 'list.paging': 'none' },
  { 'list.sort': 'none' },
];

// In deviations.proof.ts, one model of five uses another option. Here half of the models use it.
describe('a service passes with the learned profile where', () => {
  test.each(SETTINGS.filter((_, index) => index % 2 === 1))('other models differ in %j', async (settings) => {
    const { url } = await serveTwo(['lockerType', 'locker'], settings);
    expect(complaints(await learnAndCheck(url, { models: MODELS }))).toEqual([]);
  });

  // The suite learns the other option first.
  test.each(SETTINGS.filter((_, index) => index % 2 === 0))(
    'the first models differ in %j',
    async (settings) => {
      const { url } = await serveTwo(['brand', 'warehouse'], settings);
      expect(complaints(await learnAndCheck(url, { models: MODELS }))).toEqual([]);
    },
  );
});

describe('a service breaks a stated rule under the learned profile', () => {
  test('when one model rejects creates under every option', async () => {
    const url = await startUrl(({ method, path }) =>
      method === 'POST' && /\/lockerType(\?|$)/.test(path)
        ? { status: 422, body: { error: 'something is wrong' } }
        : undefined,
    );
    const results = await learnAndCheck(url, { models: ['lockerType'], rules: ['operations'] });
    expect(against(results).map(({ id }) => id)).toContain('operations.create:lockerType');
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

  test('have no pages passes with the learned profile', async () => {
    const url = await startUrl(({ method, path }) => {
      const [, model = '', query = ''] = /\/(\w+)\?(.*)$/.exec(path) ?? [];
      return method === 'GET' && ODD.includes(model) && /offset|limit/.test(query)
        ? { status: 422, body: { error: 'unknown parameter' } }
        : undefined;
    });
    const results = await learnAndCheck(url, { models: MODELS });
    expect(complaints(results)).toEqual([]);
    expect(find(results, 'list.shows-record:locker').outcome).toBe('pass');
  });
});

describe('a profile in a file that was learned', () => {
  test.each([
    [{ 'status.created': 200 }, MODELS],
    [{ 'types.currency': 'string' }, ['shareTransfer']],
  ])('is outdated when no model fits it, but %j', async (settings, models) => {
    const service = closing(await startMockService());
    const profile = await learnFile(service.url);
    const changed = closing(await startMockService({ settings }));
    const rules = Object.keys(settings).map((name) => `profile.${name}`);
    const results = await check(changed.url, {
      profile,
      profileName: 'learned.yaml',
      models: LEARNED,
      rules,
    });
    const failed = new Set(against(results).map(({ model }) => model));
    expect([...failed]).toEqual(expect.arrayContaining(models));
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
  const selected = new Set(LEARNED);
  const target = createTarget({ baseUrl: url });
  const text = renderProfile(await learnProfile({ catalogue, references, target, write: true, selected }));
  await target.close();
  return createProfile(readYaml(text, 'learned.yaml').value as Record<string, unknown>, catalogue);
}
