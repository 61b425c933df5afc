import { expect, test } from 'vitest';
import { isText } from '../../spec/types/types.ts';
import { against, catalogue, check, idsAgainst } from '../../testing/checks.ts';
import type { Defect } from '../../testing/services/defects/defect.ts';
import { useForeignService } from '../../testing/use-foreign-service.ts';

const { start } = useForeignService();

type Change = (value: unknown) => unknown;
type Write = 'create' | 'update';

/** Checks a service that stores some fields otherwise than they were sent. */
async function results(changes: Readonly<Record<string, Change>>, writes: readonly Write[], rules: string[]) {
  const values: Defect['values'] = (sent, { model, on }) =>
    Object.fromEntries(
      Object.entries(sent).map(([name, value]) => {
        const change = writes.some((write) => write === on) && changes[`${model.name}.${name}`];
        return [name, change ? change(value) : value];
      }),
    );
  const { url } = await start({ values }, 'sort=field');
  const changed = new Set(Object.keys(changes).map((key) => key.split('.')[0] ?? ''));
  return check(url, { models: [...changed], rules });
}

const RULES = { create: 'create.keeps-field', update: 'update.changes-field' } as const;
const ofText = (change: (text: string) => string) => (value: unknown) =>
  typeof value === 'string' ? change(value) : value;
const ALL_RULES = ['create', 'update', 'advice.edge-kept'];

test('a service that changes only a few values of a number or a date fails for each field', async () => {
  const dayBefore = (text: string) =>
    new Date(Date.parse(`${text}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
  const changes: Record<string, Change> = {
    // To four decimals.
    'voucherProduct.ratio': (value) =>
      typeof value === 'number' ? Math.round(value * 10_000) / 10_000 : value,
    // In summer.
    'editedSale.issueDate': ofText((text) => (/-0[4-9]-/.test(text) ? dayBefore(text) : text)),
    'deposit.endDate': ofText((text) => (text > '2038-01-19' ? '2038-01-19' : text)),
    'customerToTag.end': ofText((text) => (text > '2038' ? `2037${text.slice(4)}` : text)),
  };
  const failed = against(await results(changes, ['create'], [RULES.create, 'advice.edge-kept'])).map(
    ({ id }) => id,
  );
  expect(failed.toSorted()).toEqual(
    Object.keys(changes)
      .map((key) => `${RULES.create}:${key}`)
      .toSorted(),
  );
});

test('a service that shows the time of the last update as the time of creation fails', async () => {
  const toSecond = (time: unknown) => String(time).replace(/\.\d+/, '');
  const shown: Defect['shown'] = (row) => ({
    ...row,
    created: toSecond(row.updated),
    updated: toSecond(row.updated),
  });
  const { url } = await start({ shown });
  const { cases } = await check(url, { models: ['brand'], rules: ['update.keeps-origin'] });
  expect(cases.map(({ message, outcome }) => [outcome, message])).toEqual([
    ['fail', expect.stringMatching(/^an update changes created of brand\/\d+$/)],
  ]);
});

const dropped = ofText((text) => text.replace(/:\d\d(\.\d+)?(Z?)$/, ':00$2'));
const dropping = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, dropped]));

test.each(['create', 'update'] as const)(
  'a service that drops seconds of a few fields in a %s fails for them',
  async (on) => {
    const keys = ['customerToTag.start', 'voucher.startTime'];
    const failed = idsAgainst(await results(dropping(...keys), [on], ALL_RULES));
    expect(failed).toEqual(keys.map((key) => `${RULES[on]}:${key}`));
  },
);

test('a service that drops seconds from all times of day gets advice only', async () => {
  const times = dropping('voucher.startTime', 'voucher.endTime');
  const found = await results(times, ['create', 'update'], ALL_RULES);
  expect(against(found)).toEqual([]);
  const advice = found.cases.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
  expect(advice).toEqual(expect.arrayContaining(['advice.edge-kept:voucher.startTime']));
});

const fields = ['crmContact', 'stock'].flatMap((name) => catalogue.models.get(name)?.fields ?? []);
const texts = fields.filter((field) => !field.readonly && isText(field)).map(({ key }) => key);
const addresses = fields.filter(({ type }) => type === 'image' || type === 'url').map(({ key }) => key);

test.each<[string, Write, readonly string[], string, (text: string) => string]>([
  ['writes compatible letters', 'create', texts, 'create.keeps-field', (text) => text.normalize('NFKC')],
  ['lowers addresses', 'update', addresses, RULES.update, (text) => text.toLowerCase()],
])('a service that %s on %s fails in each field', async (_, on, keys, rule, change) => {
  const changes = Object.fromEntries(keys.map((key) => [key, ofText(change)]));
  const { cases } = await results(changes, [on], [rule, 'advice.text-kept']);
  const failed = cases.filter(({ outcome }) => outcome === 'fail');
  expect(failed.map(({ id }) => id)).toEqual(expect.arrayContaining(keys.map((key) => `${rule}:${key}`)));
  expect(failed.map(({ expected, found }) => `${expected} ${found}`).join()).not.toContain('redacted');
});
