import { expect, test } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { against, type Checking, catalogue, check } from '../../testing/checks.ts';
import { type Defect, without } from '../../testing/services/defects/defect.ts';
import {
  complaints,
  learnAndCheck,
  learnTerms,
  useForeignService,
} from '../../testing/use-foreign-service.ts';
import type { Target } from '../target/target.ts';

const { serve, start } = useForeignService();

const NULLED = [
  'crmContact.gender',
  'customer.isAgency',
  'customer.tags',
  'supplier.region',
  'voucher.daysOfWeek',
  'voucherProduct.ratio',
  'warehouse.comments',
];
const models = [...new Set(NULLED.map((key) => key.split('.')[0] ?? ''))];
const terms = await learnTerms(await serve(), { models });

/** Checks a service in which an update with null, or an empty list, has another effect on some fields. */
async function failures(
  effects: Readonly<Record<string, object>>,
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
  const { url } = await start({ values }, ...words);
  return against(await check(url, { ...terms, models, rules: ['update', 'profile.request.null'] })).map(
    ({ id, message }) => `${id} ${message}`,
  );
}

const isNull = (value: unknown) => value === null;
const ignored = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, {}]));
const reported = (keys: readonly string[], value: string) =>
  keys.map((key) => `update.changes-field:${key} an update to ${value} leaves a value`);

test('an update to null that is ignored fails in fields of each kind', async () => {
  const found = await failures(ignored(NULLED), isNull);
  const lines = [
    ...NULLED.map((key) => `profile.request.null:${key} the target uses another request.null`),
    // The service stores "" as null.
    ...reported(['warehouse.comments'], '""'),
  ];
  expect(found.toSorted()).toEqual(lines.map((line) => expect.stringContaining(line)));
});

test('an update to an empty list that is ignored fails', async () => {
  const lists = ['customer.tags', 'voucher.daysOfWeek'];
  const found = await failures(ignored(lists), (value) => Array.isArray(value) && value.length === 0);
  expect(found.toSorted()).toEqual(reported(lists, '[]').map((line) => expect.stringContaining(line)));
});

test('an update to an empty string that is ignored fails', async () => {
  const texts = ['customer.alias', 'warehouse.comments'];
  const found = await failures(ignored(texts), (value) => value === '', ['empty=kept']);
  expect(found.toSorted()).toEqual(reported(texts, '""').map((line) => expect.stringContaining(line)));
});

test('an empty list that becomes null passes', async () => {
  const effects = { 'customer.tags': { tags: null }, 'voucher.daysOfWeek': { daysOfWeek: null } };
  expect(await failures(effects, (value) => Array.isArray(value) && value.length === 0)).toEqual([]);
});

const others = {
  'voucherProduct.ratio': { ratio: 1 },
  'crmContact.gender': { gender: 1 },
  'customer.isAgency': { isAgency: false },
  'warehouse.comments': { comments: 'none' },
};

test('a default instead of null passes', async () => {
  expect(await failures(others, isNull, [], true)).toEqual([]);
});

test('another value instead of null fails, where a create leaves the field without one', async () => {
  const found = await failures(others, isNull);
  // The value of this field is the one that it had.
  const wanted = Object.keys(others).map((key) =>
    key === 'crmContact.gender'
      ? `profile.request.null:${key} the target uses another request.null`
      : `update.changes-field:${key} an update to null leaves a value`,
  );
  expect(found.toSorted()).toEqual(wanted.toSorted().map((line) => expect.stringContaining(line)));
});

/** The advice about `updated` on a service that shows records in some way. */
async function adviceOn(shown?: (row: Readonly<Record<string, unknown>>) => Record<string, unknown>) {
  const { url } = await start(shown ? { shown } : {});
  const results = await check(url, {
    models: ['brand'],
    rules: ['advice.updated-rises', 'advice.updated-kept'],
  });
  return results.cases.flatMap(({ message, outcome }) => (outcome === 'fail' ? [message] : []));
}

test('a service that changes updated with each update, and only then, gets no advice', async () => {
  expect(await adviceOn()).toEqual([]);
});

test('an update that does not change updated is advice', async () => {
  expect(await adviceOn((row) => ({ ...row, updated: row.created }))).toEqual([
    'an update does not change updated',
  ]);
});

test('a retrieve that changes updated is advice', async () => {
  let now = Date.now();
  const shown = (row: Readonly<Record<string, unknown>>) => ({
    ...row,
    updated: new Date(++now).toISOString(),
  });
  expect(await adviceOn(shown)).toEqual(['a retrieve changes updated']);
});

test('a list that shows when a record was created as its last update fails', async () => {
  const { url } = await start('list-shows-old-update');
  const results = await check(url, { models: ['brand'], rules: ['list.agrees'] });
  expect(against(results)).toMatchObject([{ id: 'list.agrees:brand', outcome: 'fail' }]);
});

/** Updates a record as a program does that reads it, changes some values, and writes it as a whole. */
const readsFirst = (target: Target): Target => ({
  ...target,
  async send(request, record) {
    if (request.method !== 'POST' || !/\/\d+$/.test(request.path)) return target.send(request, record);
    const before = await target.send({ method: 'GET', path: request.path }, () => {});
    if (before.status !== 200) return target.send(request, record);
    const { id, created, createUser, updated, updateUser, deleted, ...values } = JSON.parse(before.body);
    const body = JSON.stringify({ ...values, ...JSON.parse(request.body ?? '{}') });
    return target.send({ ...request, body }, record);
  },
});

async function run(words: readonly string[], more: Checking = {}) {
  const rules = ['operations', 'create', 'update', 'advice.lost-update'];
  const results = await check(await serve(...words), {
    models: ['crmContact', 'warehouse', 'share'],
    rules,
    ...more,
  });
  return { results, cases: results.cases.filter(({ rule }) => rule === 'advice.lost-update') };
}

test('an update that is lost in a concurrent one gets advice, and fails no other rule', async () => {
  const { cases, results } = await run([], { wrap: readsFirst });
  expect(cases.map(({ level, outcome }) => `${level} ${outcome}`)).toEqual(Array(3).fill('advice fail'));
  expect(against(results)).toEqual([]);
  for (const { exchanges = [] } of cases)
    expect(exchanges.slice(-3).map(({ request }) => request.method)).toEqual(['POST', 'POST', 'GET']);
});

test('a service that keeps both passes', async () => {
  expect((await run([])).cases.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass']);
});

test('where an update replaces the record, the rule has no cases', async () => {
  const profile = createProfile({ 'request.update': 'full' }, catalogue);
  expect((await run(['update=full'], { profile })).cases).toEqual([]);
});

test.each(['null', 'blank'])(
  'an update that replaces the record is learned where unset is %s',
  async (unset) => {
    const url = await serve('update=full', `unset=${unset}`);
    const models = ['crmContact', 'warehouse', 'share'];
    const { profile } = await learnTerms(url, { models });
    expect(profile['request.update']).toBe('full');
    const results = await check(url, { profile, models, rules: ['operations', 'create', 'update'] });
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
  const models = ['customer', 'lockerCustomer', 'supplier'];
  const learned = await learnTerms(url, { models });
  expect(learned.profile.except['customer.phone']).toEqual({ 'request.null': 'ignore' });
  const results = await check(url, { ...learned, models });
  expect(complaints(results)).toEqual([]);
  expect(complaints(await learnAndCheck(url, { models }))).toEqual([]);
});
