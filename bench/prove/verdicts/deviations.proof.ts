import { describe, expect, test } from 'vitest';
import { learnedTerms, renderLearned } from '../../../conformance/learn/learn.ts';
import { exitCode } from '../../../conformance/results/results.ts';
import { createProfile, type Profile } from '../../../spec/profile/profile.ts';
import { against, catalogue, check } from '../../../testing/checks.ts';
import { type Answer, find, startMockService, useService } from '../../../testing/mock-service.ts';
import type { OddField } from '../../../testing/services/plain/odd-form.ts';
import { readOptions } from '../../../testing/services/plain/options.ts';
import { startPlain } from '../../../testing/services/plain/plain.ts';
import { complaints, learn, learnAndCheck, readBack } from '../../../testing/use-foreign-service.ts';

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

const FOUR_MODELS = ['brand', 'warehouse', 'lockerType', 'locker'];

/** The models that a profile is learned from, with several amounts. */
const LEARNED = [...FOUR_MODELS, 'shareTransfer', 'deposit', 'voucherType', 'customer'];

const SETTINGS = [
  { 'status.created': 200 },
  { 'status.updated': 202 },
  { 'errors.form': 'simple' },
  { 'delete.answer': 'none' },
  { 'request.update': 'full' },
  { 'list.paging': 'none' },
  { 'list.sort': 'none' },
];

// Below, one model of five uses another option. Here half of the models use it.
describe('a service passes with the learned profile where', () => {
  test.each(SETTINGS.filter((_, index) => index % 2 === 1))('other models differ in %j', async (settings) => {
    const { url } = await serveTwo(['lockerType', 'locker'], settings);
    expect(complaints(await learnAndCheck(url, { models: FOUR_MODELS }))).toEqual([]);
  });

  // The suite learns the other option first.
  test.each(SETTINGS.filter((_, index) => index % 2 === 0))(
    'the first models differ in %j',
    async (settings) => {
      const { url } = await serveTwo(['brand', 'warehouse'], settings);
      expect(complaints(await learnAndCheck(url, { models: FOUR_MODELS }))).toEqual([]);
    },
  );
});

test('a service breaks a stated rule under the learned profile when one model rejects creates under every option', async () => {
  const url = await startUrl(({ method, path }) =>
    method === 'POST' && /\/lockerType(\?|$)/.test(path)
      ? { status: 422, body: { error: 'something is wrong' } }
      : undefined,
  );
  const results = await learnAndCheck(url, { models: ['lockerType'], rules: ['operations'] });
  expect(against(results).map(({ id }) => id)).toContain('operations.create:lockerType');
});

const ODD = ['locker', 'lockerType'];

test('a service where lists of two models reject sorting and filters passes with the learned profile', async () => {
  const url = await startUrl(({ method, path }) => {
    const [, model = '', query = ''] = /\/(\w+)\?(.*)$/.exec(path) ?? [];
    const isPaged = /^((offset|limit)=\d+&?)*$/.test(query);
    return method === 'GET' && ODD.includes(model) && !isPaged
      ? { status: 422, body: { error: 'unknown parameter' } }
      : undefined;
  });
  expect(complaints(await learnAndCheck(url, { models: FOUR_MODELS }))).toEqual([]);
});

test('a service where lists of two models have no pages passes with the learned profile', async () => {
  const url = await startUrl(({ method, path }) => {
    const [, model = '', query = ''] = /\/(\w+)\?(.*)$/.exec(path) ?? [];
    return method === 'GET' && ODD.includes(model) && /offset|limit/.test(query)
      ? { status: 422, body: { error: 'unknown parameter' } }
      : undefined;
  });
  const results = await learnAndCheck(url, { models: FOUR_MODELS });
  expect(complaints(results)).toEqual([]);
  expect(find(results, 'list.shows-record:locker').outcome).toBe('pass');
});

describe('a profile in a file that was learned', () => {
  test.each([
    [{ 'status.created': 200 }, FOUR_MODELS],
    [{ 'types.currency': 'string' }, ['shareTransfer']],
  ])('is outdated when no model fits it, but %j', async (settings, models) => {
    const service = closing(await startMockService());
    const profile = readBack(await learn(service.url, { models: LEARNED }));
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
      const profile = readBack(await learn(url, { models: LEARNED }));
      const models = ['locker', 'brand'];
      const results = await check(url, { profile, profileName: 'learned.yaml', models, ...more });
      expect(complaints(results)).toEqual([]);
      expect(results.cases).toHaveLength(results.planned);
    },
  );

  test('that nobody learned has to fit each model', async () => {
    const { url } = await serveTwo(['locker', 'lockerType'], { 'status.created': 200 });
    const results = await check(url, { models: FOUR_MODELS, rules: ['profile.status.created'] });
    expect(against(results).map(({ model }) => model)).toEqual(['locker', 'lockerType']);
  });
});

const USUAL = ['sort=field', 'size=100'];
const MODELS = ['brand', 'warehouse', 'lockerType', 'customerTag', 'helpArticle'];

/** One model that uses another option, by the words of the service. */
const OF_MODELS: readonly (readonly [deviation: string, word: string])[] = [
  ['status.created 200', 'created=200'],
  ['errors.form simple', 'errors=simple'],
  ['delete.effect remove', 'deletes=remove'],
  ['response.record /data', 'envelope=data'],
  ['list.paging none', 'paging=none'],
  ['request.readonlyFields reject', 'readonlyFields=reject'],
  ['request.update full', 'update=full'],
  ['request.encoding form', 'body=form'],
];

const OF_FIELDS: readonly OddField[] = [
  { at: 'shareTransfer.price', form: 'types.currency string' },
  { at: 'locker.status', form: 'types.select string' },
  { at: 'customerToTag.start', form: 'types.datetime local' },
  { at: 'lockerType.subscription', form: 'response.unset absent' },
];

const ONLY_SHOWN: OddField = { at: 'shareTransfer.price', form: 'types.currency string', isOnlyShown: true };

describe.each(OF_MODELS)('one model that uses %s', (deviation, word) => {
  const [setting = '', option = ''] = deviation.split(' ');
  const start = async () =>
    closing(
      await startPlain({
        dialect: readOptions(USUAL),
        oddModel: {
          at: 'warehouse',
          dialect: readOptions([...USUAL.filter((one) => one.split('=')[0] !== word.split('=')[0]), word]),
        },
      }),
    );

  test('is named by learn, accepted with its file, and fails with an older file', async () => {
    const { url } = await start();
    const learned = await learn(url, { models: MODELS });
    expect(learned.deviations.map(({ place, setting: of }) => `${of} ${place}`)).toContain(
      `${setting} warehouse`,
    );
    expect(JSON.stringify(learned.profile.except.warehouse)).toContain(option);
    expect(Object.keys(learned.profile.except)).toEqual(['warehouse']);
    expect(renderLearned(learned, { color: false })).toContain(`warehouse uses ${setting} ${option}`);
    const profile = readBack(learned);
    const rules = ['profile', 'operations', 'fields', 'list'];
    const accepted = await check(url, { models: MODELS, rules, profile, profileName: 'learned.yaml' });
    expect(against(accepted).map(({ id, message }) => `${id} ${message}`)).toEqual([]);
    expect(exitCode(accepted)).toBe(0);
    const older = await check(url, {
      models: MODELS,
      rules: ['profile'],
      profile: await before(),
      profileName: 'older.yaml',
    });
    expect(exitCode(older)).toBe(1);
    const failed = against(older).map(({ id }) => id);
    expect(failed.filter((id) => !id.includes(':warehouse'))).toEqual([]);
    expect(failed.some((id) => id.startsWith(`profile.${setting}:warehouse`))).toBe(true);
    const without = await check(url, { models: MODELS, rules: ['profile'], ...learnedTerms(learned) });
    expect(against(without)).toEqual([]);
    expect(without.profile.deviations?.join()).toContain(`warehouse uses ${setting} ${option}`);
  });
});

test('a deviation fails with its file when it is gone', async () => {
  const except = { warehouse: { 'status.created': 200 } };
  const profile = createProfile({ ...(await usual()), except }, catalogue);
  const { url } = await startUniform();
  const rules = ['profile.status.created'];
  const results = await check(url, { models: ['warehouse', 'brand'], rules, profile });
  expect(against(results)).toMatchObject([
    { model: 'warehouse', message: 'warehouse is as everywhere else now; remove it from except' },
  ]);
  expect(exitCode(results)).toBe(1);
});

describe.each([
  ...OF_FIELDS.map((one) => ({ ...one, where: 'requests and responses' })),
  { ...ONLY_SHOWN, where: 'responses' },
])('one field with another form in $where, $form at $at', (oddField) => {
  const { at, form } = oddField;
  const [setting = '', option = ''] = form.split(' ');
  const models = [
    ...new Set([at.split('.')[0] ?? '', 'customer', 'voucher', 'lockerCustomer', 'crmContact']),
  ];

  test('is named by learn, accepted with its file, and fails without one', async () => {
    const { url } = closing(await startPlain({ dialect: readOptions(USUAL), oddField }));
    const learned = await learn(url, { models });
    expect(learned.profile.except).toEqual({ [at]: { [setting]: option } });
    expect(learned.deviations).toMatchObject([
      { place: at, text: expect.stringMatching(`^${at} is .* \\(${form}\\); the \\d+ others? uses? `) },
    ]);
    const profile = readBack(learned);
    const accepted = await check(url, {
      models,
      profile,
      profileName: 'learned.yaml',
      rules: ['profile', 'operations', 'fields', 'create'],
    });
    expect(against(accepted).map(({ id, message }) => `${id} ${message}`)).toEqual([]);
    for (const terms of [{ profile: await before(), profileName: 'older.yaml' }, learnedTerms(learned)]) {
      const results = await check(url, { models, rules: [`profile.${setting}`], ...terms });
      expect(against(results).map(({ id }) => id)).toEqual([`profile.${setting}:${at}`]);
      expect(exitCode(results)).toBe(1);
    }
  });
});

async function startUniform() {
  return closing(await startPlain({ dialect: readOptions(USUAL) }));
}

let known: Promise<Profile> | undefined;

/** The profile that was learned before the deviation came. */
function before(): Promise<Profile> {
  known ??= (async () => readBack(await learn((await startUniform()).url)))();
  return known;
}

/** Its settings, without those that are unknown. */
async function usual(): Promise<Record<string, unknown>> {
  const { except: _, unknown, ...settings } = await before();
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !Object.hasOwn(unknown, name)));
}
