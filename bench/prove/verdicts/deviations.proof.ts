import { describe, expect, test } from 'vitest';
import { type Learned, learnedTerms, learnProfile } from '../../../conformance/learn/learn.ts';
import { renderLearned, renderProfile } from '../../../conformance/learn/render-learned.ts';
import { exitCode } from '../../../conformance/results/verdict.ts';
import { createTarget } from '../../../conformance/target/target.ts';
import { readYaml } from '../../../spec/files/yaml-file.ts';
import { createProfile, type Profile } from '../../../spec/profile/profile.ts';
import { against, catalogue, check, references } from '../../../testing/checks.ts';
import { useClosing } from '../../../testing/closing.ts';
import type { OddField } from '../../../testing/services/plain/odd-form.ts';
import { readOptions } from '../../../testing/services/plain/options.ts';
import { startPlain } from '../../../testing/services/plain/plain.ts';

const closing = useClosing();

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
    const learned = await learn(url, MODELS);
    expect(learned.deviations.map(({ place, setting: of }) => `${of} ${place}`)).toContain(
      `${setting} warehouse`,
    );
    expect(JSON.stringify(learned.profile.except.warehouse)).toContain(option);
    expect(Object.keys(learned.profile.except)).toEqual(['warehouse']);
    expect(renderLearned(learned, { color: false })).toContain(`warehouse uses ${setting} ${option}`);
    const profile = fileOf(learned);
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
    const learned = await learn(url, models);
    expect(learned.profile.except).toEqual({ [at]: { [setting]: option } });
    expect(learned.deviations).toMatchObject([
      { place: at, text: expect.stringMatching(`^${at} is .* \\(${form}\\); the \\d+ others? uses? `) },
    ]);
    const profile = fileOf(learned);
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

test('a healthy service has no deviations, and passes with its file', async () => {
  const { url } = await startUniform();
  const learned = await learn(url);
  expect(learned.deviations).toEqual([]);
  expect(learned.profile.except).toEqual({});
  const results = await check(url, {
    profile: fileOf(learned),
    profileName: 'learned.yaml',
    rules: ['profile'],
  });
  expect(against(results)).toEqual([]);
});

async function startUniform() {
  return closing(await startPlain({ dialect: readOptions(USUAL) }));
}

async function learn(url: string, models?: readonly string[]): Promise<Learned> {
  const target = createTarget({ baseUrl: url });
  const selected = models && new Set(models);
  try {
    return await learnProfile({ catalogue, references, target, write: true, selected });
  } finally {
    await target.close();
  }
}

function fileOf(learned: Learned): Profile {
  return createProfile(
    readYaml(renderProfile(learned), 'learned.yaml').value as Record<string, unknown>,
    catalogue,
  );
}

let known: Promise<Profile> | undefined;

/** The profile that was learned before the deviation came. */
function before(): Promise<Profile> {
  known ??= (async () => fileOf(await learn((await startUniform()).url)))();
  return known;
}

/** Its settings, without those that are unknown. */
async function usual(): Promise<Record<string, unknown>> {
  const { except: _, unknown, ...settings } = await before();
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !Object.hasOwn(unknown, name)));
}
