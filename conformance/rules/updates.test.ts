import { expect, test } from 'vitest';
import { against, check } from '../../testing/checks.ts';
import { type Defect, without } from '../../testing/services/defects/defect.ts';
import { complaints, learnTerms, useForeignService } from '../../testing/use-foreign-service.ts';

const { serve, start } = useForeignService();

const NULLED = [
  'crmContact.gender',
  'helpArticle.tags',
  'subscriptionAddon.accumulative',
  'supplier.region',
  'voucher.daysOfWeek',
  'voucherProduct.ratio',
  'warehouse.comments',
];

type Effects = Readonly<Record<string, object>>;

/** Checks a service in which an update with null, or an empty list, has another effect on some fields. */
async function failures(
  effects: Effects,
  isEmpty: (value: unknown) => boolean,
  words: readonly string[] = [],
  ofCreate = false,
) {
  const values: Defect['values'] = (sent, { model, on }) => {
    let stored = sent;
    for (const [key, effect] of Object.entries(effects)) {
      const [name, field = ''] = key.split('.');
      const isSuch = Object.hasOwn(sent, field) && isEmpty(sent[field]);
      if (name === model.name && (on === 'update' ? isSuch : ofCreate && !Object.hasOwn(sent, field)))
        stored = { ...without(stored, field), ...effect };
    }
    return stored;
  };
  const { url } = await start({ values }, 'sort=field', ...words);
  const models = [...new Set(Object.keys(effects).map((key) => key.split('.')[0] ?? ''))];
  const results = await check(url, { models, rules: ['update', 'profile.request.null'] });
  return against(results).map(({ id, message }) => `${id} ${message}`);
}

const isNull = (value: unknown) => value === null;
const isNoItem = (value: unknown) => Array.isArray(value) && value.length === 0;
const ignored = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, {}]));
const another = (keys: readonly string[]) =>
  keys.map((key) => `profile.request.null:${key} the target uses another request.null`);
const leaves = (keys: readonly string[], value: string) =>
  keys.map((key) => `update.changes-field:${key} an update to ${value} leaves a value`);
const LISTS = ['helpArticle.tags', 'voucher.daysOfWeek'];
const TEXTS = ['crmContact.street', 'warehouse.comments'];
const NO_LISTS = { 'helpArticle.tags': { tags: null }, 'voucher.daysOfWeek': { daysOfWeek: null } };
const OTHERS = {
  'voucherProduct.ratio': { ratio: 1 },
  'crmContact.gender': { gender: 1 },
  'subscriptionAddon.accumulative': { accumulative: true },
  'warehouse.comments': { comments: 'none' },
};

// The value of the gender is the one that it had.
const [RATIO, GENDER, ...MORE] = Object.keys(OTHERS) as [string, string, ...string[]];

test.each<[string, Effects, (value: unknown) => boolean, string[], words?: string[], ofCreate?: boolean]>([
  // The service stores "" as null.
  [
    'null is ignored fails',
    ignored(NULLED),
    isNull,
    [...another(NULLED), ...leaves(['warehouse.comments'], '""')],
  ],
  ['an empty list is ignored fails', ignored(LISTS), isNoItem, leaves(LISTS, '[]')],
  [
    'an empty string is ignored fails',
    ignored(TEXTS),
    (value) => value === '',
    leaves(TEXTS, '""'),
    ['empty=kept'],
  ],
  ['an empty list becomes null passes', NO_LISTS, isNoItem, []],
  ['null becomes the default of a create passes', OTHERS, isNull, [], [], true],
  [
    'null becomes another value fails',
    OTHERS,
    isNull,
    [...another([GENDER]), ...leaves([RATIO, ...MORE], 'null')],
  ],
])('a service in whose updates %s', async (_, effects, isEmpty, lines, words, ofCreate) => {
  const found = await failures(effects, isEmpty, words, ofCreate);
  expect(found.toSorted()).toEqual(lines.toSorted().map((line) => expect.stringContaining(line)));
});

test.each<[string, Partial<Defect>, string[]]>([
  ['changes updated with each update, and only then, gets no advice', {}, []],
  [
    'does not change updated gets advice',
    { shown: (row) => ({ ...row, updated: row.created }) },
    ['an update does not change updated'],
  ],
])('a service that %s', async (_, defect, advice) => {
  const { url } = await start(defect);
  const rules = ['advice.updated-rises', 'advice.updated-kept'];
  const { cases } = await check(url, { models: ['brand'], rules });
  expect(cases.flatMap(({ message, outcome }) => (outcome === 'fail' ? [message] : []))).toEqual(advice);
});

test.each([
  ['partial', 'passes if the service keeps both', ['pass', 'pass']],
  ['full', 'is not judged', []],
] as const)('an update next to another one, under request.update %s, %s', async (update, _, outcomes) => {
  const settings = { 'request.update': update };
  const plan = {
    settings,
    models: ['crmContact', 'share'],
    rules: ['operations.update', 'advice.lost-update'],
  };
  const { cases } = await check(await serve(`update=${update}`), plan);
  const judged = cases.filter(({ rule }) => rule === 'advice.lost-update');
  expect(judged.map(({ outcome }) => outcome)).toEqual(outcomes);
});

test.each(['null', 'blank'])(
  'learn finds that updates replace the record if unset fields are %s',
  async (unset) => {
    const url = await serve('update=full', `unset=${unset}`);
    const models = ['warehouse', 'share'];
    const { profile } = await learnTerms(url, { models });
    expect(profile['request.update']).toBe('full');
    const results = await check(url, { profile, models, rules: ['operations', 'update'] });
    expect(complaints(results)).toEqual([]);
  },
);

test('a service passes that ignores null in strings, and clears other fields', async () => {
  const isIgnored = (
    name: string,
    { fields }: { readonly fields: readonly { name: string; type: string }[] },
  ) => fields.some((field) => field.name === name && field.type === 'string');
  const values: Defect['values'] = (sent, { model, on }) =>
    Object.fromEntries(
      Object.entries(sent).filter(
        ([name, value]) => on !== 'update' || value !== null || !isIgnored(name, model),
      ),
    );
  const { url } = await start({ values }, 'empty=kept');
  const models = ['lockerCustomer', 'supplier'];
  const learned = await learnTerms(url, { models });
  expect(learned.profile.except['supplier.phone']).toEqual({ 'request.null': 'ignore' });
  const results = await check(url, { ...learned, models, rules: ['update', 'profile.request.null'] });
  expect(complaints(results)).toEqual([]);
});
