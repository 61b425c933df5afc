import { expect, test } from 'vitest';
import { against, type Checking, check } from '../../testing/checks.ts';
import { type At, type Defect, without } from '../../testing/services/defects/defect.ts';
import type { Row } from '../../testing/services/records/tables.ts';
import { BARE, BARE_SETTINGS, insert, useForeignService } from '../../testing/use-foreign-service.ts';

const { start } = useForeignService();

/** Returns the cases that fail on a service with a defect, without those that fail once only. */
async function failures(
  models: readonly string[],
  defect: Partial<Defect>,
  more: Checking = {},
  ...words: string[]
) {
  const service = await start(defect, ...BARE, ...words);
  for (const name of ['one', 'two']) insert(service, 'brand', { name });
  const results = await check(service.url, { settings: BARE_SETTINGS, models, looks: [0], ...more });
  return against(results).flatMap(({ id, outcome }) => (outcome === 'flaky' ? [] : [id]));
}

/** How often each record was read. */
const reads = new Map<string, number>();
/** The last body of a write, with its readonly fields. */
let body: Row = {};
const noteBody = ({ sent = {} }: At) => {
  body = sent;
  return false;
};
/** Each fault that no defect of the mock has, with a case of its model that fails. */
const FAULTS: Readonly<Record<string, readonly [id: string, defect: Partial<Defect>]>> = {
  'a truth value that a create of the required fields alone loses': [
    'create.keeps-field:customerTag.isDefault',
    {
      refuses: noteBody,
      values: (row, { on }) => (on === 'update' || 'deleted' in body ? row : { ...row, isDefault: false }),
    },
  ],
  'an update that deletes its record': [
    'update.keeps-origin:brand',
    { after: ({ id = 0, model, on, tables }) => on === 'update' && tables.remove(model.name, id) },
  ],
  'a delete that also deletes the record it links to': [
    'delete.keeps-other-records:deposit',
    {
      after: ({ before, model, on, tables }) =>
        on === 'delete' && model.name === 'deposit' && tables.remove('customer', Number(before?.customer)),
    },
  ],
  'a record that disappears after three reads': [
    'operations.retrieve:warehouse',
    {
      answers: ({ id, method, model }) => {
        if (method !== 'GET' || id === undefined) return undefined;
        const times = (reads.get(`${model}/${id}`) ?? 0) + 1;
        reads.set(`${model}/${id}`, times);
        return times > 3 ? 404 : undefined;
      },
    },
  ],
  'a response to a create that shows the sent author instead of the stored one': [
    'readonly.on-create:warehouse.createUser',
    {
      refuses: noteBody,
      shown: (row, { on }) =>
        on === 'create' && body.createUser !== undefined ? { ...row, createUser: body.createUser } : row,
    },
  ],
  'a list request that changes the last listed record': [
    'create.keeps-field:warehouse.comments',
    {
      listed: (rows, { model, tables }) => {
        Object.assign(tables.all(model.name).at(-1) ?? {}, { comments: 'listed' });
        return rows;
      },
    },
  ],
  'a response to an update that shows an amount in another form': [
    'profile.types.currency:deposit.balance',
    { shown: (row, { on }) => (on === 'update' ? { ...row, balance: String(row.balance) } : row) },
  ],
  'an update of a readonly total that is stored until the total is computed again': [
    'readonly.on-update:stockOrder.received',
    {
      refuses: noteBody,
      values: (row, { before }) =>
        before ? { ...row, received: 'lines' in body ? 0 : (body.received ?? before.received) } : row,
    },
  ],
  'an update that marks the record as deleted, in the form of another setting': [
    'update.keeps-origin:warehouse',
    { values: (row, { on }) => (on === 'update' ? { ...row, deleted: 1 } : row) },
  ],
  'a time that is moved out of the hour that daylight saving time skips': [
    'create.keeps-field:voucherTransaction.useDate',
    {
      values: (row) =>
        row.useDate === '2025-03-30T02:30:00Z' ? { ...row, useDate: '2025-03-30T03:30:00Z' } : row,
    },
  ],
};

test.each(Object.entries(FAULTS))('an answer that contradicts what is known %s', async (_, [id, defect]) => {
  const [, model = ''] = /:(\w+)/.exec(id) ?? [];
  expect(await failures([model], defect)).toContain(id);
});

test('a record of the run that an update of another one changed is shown with its values', async () => {
  const after: Defect['after'] = ({ id, model, on, sent, tables }) => {
    if (on !== 'update') return;
    for (const other of tables.rowsOf(model.name).keys())
      if (other !== id) tables.change(model.name, other, { ...sent });
  };
  const service = await start({ after }, ...BARE);
  const results = await check(service.url, { settings: BARE_SETTINGS, models: ['brand'], looks: [0] });
  const failed = against(results).find(({ rule }) => rule === 'update.keeps-other-records');
  expect(failed?.exchanges?.at(-1)?.response.body).toContain(JSON.parse(failed?.found ?? ''));
});

test('a value that no retrieve shows is not a change by another write', async () => {
  const shown: Defect['shown'] = (row, { on }) => (on === 'retrieve' ? { ...row, comments: null } : row);
  const failed = await failures(['warehouse'], { shown });
  expect(failed).toContain('create.keeps-field:warehouse.comments');
  expect(failed.filter((id) => id.includes('keeps-other-records'))).toEqual([]);
});

test('a total that each write rounds is no change by another write', async () => {
  const values: Defect['values'] = (row, { before }) => ({
    ...row,
    balance: Math.floor(Number(row.balance ?? before?.balance)),
  });
  const failed = await failures(['deposit'], { values });
  expect(failed).toContain('create.keeps-field:deposit.balance');
  expect(failed).not.toContain('update.keeps-other-records:deposit');
});

test.each([null, ''])(
  'a required value that becomes %j if an update omits it fails, even if updates need all fields',
  async (serie) => {
    const values: Defect['values'] = (row, { on, sent = {} }) =>
      on === 'update' && !('serie' in sent) ? { ...row, serie } : row;
    const settings = { ...BARE_SETTINGS, 'request.update': 'full' };
    const failed = await failures(['share'], { values }, { settings, rules: ['required'] });
    expect(failed).toEqual(['required.on-update:share.serie']);
  },
);

test('a delete that has no effect on updated records fails', async () => {
  const changed = new Set<string>();
  const after: Defect['after'] = ({ before = {}, id, model, on, tables }) => {
    const key = `${model.name}/${id}`;
    if (on === 'update') changed.add(key);
    else if (on === 'delete' && changed.has(key)) tables.insert(model.name, before);
  };
  expect(await failures(['brand'], { after })).toContain('operations.delete:brand');
});

test('emoji lost where texts are short', async () => {
  const values: Defect['values'] = (row) => ({
    ...row,
    body: String(row.body).replaceAll(/[\u{10000}-\u{10ffff}]/gu, ''),
  });
  const settings = { ...BARE_SETTINGS, 'limits.text': 20 };
  const found = await failures(['taskComment'], { values }, { settings });
  expect(found).toContain('create.keeps-field:taskComment.body');
});

test.each([
  ['delete', 'delete.keeps-other-records', 'used again'],
  ['create', 'create.distinct', 'counted'],
] as const)(
  'a record that goes with the %s of another model fails only %s, where IDs are %s',
  async (operation, rule, ids) => {
    const after: Defect['after'] = ({ model, on, tables }) => {
      const comments = tables.rowsOf('taskComment');
      if (on === operation && model.name === 'multipack') comments.delete(Math.max(0, ...comments.keys()));
    };
    const more = { rules: ['operations', 'create.distinct', 'delete'] };
    const failed = await failures(['multipack', 'taskComment'], { after }, more, `ids=${ids}`);
    expect(failed).toEqual([`${rule}:multipack`]);
  },
);

test.each<[string, string, (value: unknown) => boolean]>([
  ['a number below zero', 'value', (value) => typeof value === 'number' && value < 0],
  ['zero', 'amount', (value) => value === 0],
])('an update to %s that breaks the service fails its field, and no other', async (_, field, isSuch) => {
  const breaks: Defect['breaks'] = ({ on, sent }) => on === 'update' && isSuch(sent?.[field]);
  const failed = await failures(['productSplit'], { breaks });
  expect(failed).toEqual([`update.changes-field:productSplit.${field}`]);
});

test('an update that moves created by some milliseconds fails, also where only updates of one field do', async () => {
  const values: Defect['values'] = (row, { before, sent = {} }) =>
    before && Object.keys(sent).length === 1
      ? { ...row, created: new Date(Date.parse(String(before.created)) + 7).toISOString() }
      : row;
  expect(await failures(['warehouse'], { values })).toEqual(['update.keeps-origin:warehouse']);
});

test('a list without the author is no update that changes it', async () => {
  const shown: Defect['shown'] = (row, { on }) => (on === 'list' ? without(row, 'createUser') : row);
  const found = await failures(['warehouse'], { shown });
  expect(found).not.toContain('update.keeps-origin:warehouse');
  expect(found).toContain('list.agrees:warehouse');
});
