import { expect, test } from 'vitest';
import { learnedTerms, renderLearned } from '../../../conformance/learn/learn.ts';
import { exitCode } from '../../../conformance/results/results.ts';
import type { Profile } from '../../../spec/profile/profile.ts';
import { against, check, idsAgainst } from '../../../testing/checks.ts';
import { useClosing } from '../../../testing/closing.ts';
import { startMockService } from '../../../testing/mock-service.ts';
import { readOptions } from '../../../testing/services/plain/options.ts';
import { startPlain } from '../../../testing/services/plain/plain.ts';
import { learn, readBack } from '../../../testing/use-foreign-service.ts';

const closing = useClosing();

const USUAL = ['sort=field', 'size=100'];
const MODELS = ['brand', 'warehouse', 'lockerType', 'customerTag', 'helpArticle'];

/** One model that uses another option, by the words of the service. */
const OF_MODELS: readonly (readonly [deviation: string, word: string])[] = [
  ['status.created 200', 'created=200'],
  ['status.updated 202', 'updated=202'],
  ['status.deleted 202', 'deleted=202'],
  ['status.unknownRecord 410', 'missing=410'],
  ['errors.form simple', 'errors=simple'],
  ['delete.effect remove', 'deletes=remove'],
  ['delete.answer none', 'deleteAnswer=none'],
  ['response.record /data', 'envelope=data'],
  ['list.paging none', 'paging=none'],
  ['list.sort none', 'sort=none'],
  ['list.filter none', 'filter=none'],
  ['request.readonlyFields reject', 'readonlyFields=reject'],
  ['request.update full', 'update=full'],
  ['request.encoding form', 'body=form'],
];

test.each(OF_MODELS)(
  'one model that uses %s is reported by learn, passes with the new profile, and fails with the old one',
  async (deviation, word) => {
    const [setting = '', option = ''] = deviation.split(' ');
    const odd = [...USUAL.filter((one) => one.split('=')[0] !== word.split('=')[0]), word];
    const oddModel = { at: 'warehouse', dialect: readOptions(odd) };
    const { url } = closing(await startPlain({ dialect: readOptions(USUAL), oddModel }));
    const learned = await learn(url, { models: MODELS });
    expect(learned.deviations.map(({ place, setting: of }) => `${of} ${place}`)).toContain(
      `${setting} warehouse`,
    );
    expect(JSON.stringify(learned.profile.except.warehouse)).toContain(option);
    expect(Object.keys(learned.profile.except)).toEqual(['warehouse']);
    expect(renderLearned(learned, { color: false })).toContain(`warehouse uses ${setting} ${option}`);
    const profile = readBack(learned);
    const rules = ['profile', 'operations', 'fields', 'list'];
    for (const models of [MODELS, ['warehouse']]) {
      const accepted = await check(url, { models, rules, profile, failFast: true });
      expect(against(accepted).map(({ id, message }) => `${id} ${message}`)).toEqual([]);
      expect(exitCode(accepted)).toBe(0);
    }
    const older = await check(url, { models: MODELS, rules: ['profile'], profile: await before() });
    expect(exitCode(older)).toBe(1);
    const failed = idsAgainst(older);
    expect(failed.filter((id) => !id.includes(':warehouse'))).toEqual([]);
    expect(failed.some((id) => id.startsWith(`profile.${setting}:warehouse`))).toBe(true);
    const without = await check(url, { models: MODELS, rules: ['profile'], ...learnedTerms(learned) });
    expect(against(without)).toEqual([]);
    expect(without.profile.deviations?.join()).toContain(`warehouse uses ${setting} ${option}`);
  },
);

test.each([
  ['shareTransfer.price', 'types.currency string'],
  ['locker.status', 'types.select string'],
  ['lockerType.subscription', 'response.unset absent'],
])(
  'one field, %s, with the form %s is reported by learn, passes with the profile file, and fails without it',
  async (at, form) => {
    const [setting = '', option = ''] = form.split(' ');
    const models = [
      ...new Set([at.split('.')[0] ?? '', 'customer', 'voucher', 'lockerCustomer', 'crmContact']),
    ];
    const except = { [at]: { [setting]: option } };
    const { url } = closing(await startMockService({ settings: { except } }));
    const learned = await learn(url, { models });
    expect(learned.profile.except).toEqual(except);
    expect(learned.deviations).toMatchObject([
      { place: at, text: expect.stringMatching(`^${at} is .* \\(${form}\\); the \\d+ others? uses? `) },
    ]);
    const rules = ['profile', 'operations', 'fields', 'create'];
    const accepted = await check(url, { models, rules, profile: readBack(learned) });
    expect(against(accepted).map(({ id, message }) => `${id} ${message}`)).toEqual([]);
    for (const terms of [{ profile: await before() }, learnedTerms(learned)]) {
      const results = await check(url, { models, rules: [`profile.${setting}`], ...terms });
      expect(idsAgainst(results)).toEqual([`profile.${setting}:${at}`]);
      expect(exitCode(results)).toBe(1);
    }
  },
);

let usual: Promise<Profile> | undefined;

/** The profile that was learned before the deviation came. */
function before(): Promise<Profile> {
  usual ??= (async () => {
    const { url } = closing(await startPlain({ dialect: readOptions(USUAL) }));
    return readBack(await learn(url));
  })();
  return usual;
}
