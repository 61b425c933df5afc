import { expect, test } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { catalogue } from '../../testing/checks.ts';
import { FAULTY_SETTINGS, type Faults } from '../../testing/services/faulty-service.ts';
import { useFaultyService } from '../../testing/use-faulty-service.ts';

const { failures, failuresAt, start } = useFaultyService();

/** How often each path was read, and the author that the last write named. */
const reads = new Map<string, number>();
let namedAuthor: unknown;
/** Each fault that no defect of the mock has, with a case of its model that fails. */
const FAULTS: Readonly<Record<string, readonly [id: string, faults: Faults]>> = {
  'a truth value that a create of the required fields alone loses': [
    'create.keeps-field:customerTag.isDefault',
    { store: (_, row, sent, before) => (before || 'deleted' in sent ? row : { ...row, isDefault: false }) },
  ],
  'an update that takes its record away': [
    'update.keeps-origin:brand',
    { after: (on, model, { id }, tables) => void (on === 'update' && tables[model]?.delete(id)) },
  ],
  'a delete that takes the record it links to': [
    'delete.keeps-other-records:deposit',
    {
      after: (on, model, row, { customer }) =>
        void (on === 'delete' && model === 'deposit' && customer?.delete(Number(row.customer))),
    },
  ],
  'a record that is gone once it was read three times': [
    'operations.retrieve:warehouse',
    {
      first: (method, path) => {
        if (method !== 'GET' || !/\/\d+$/.test(path)) return undefined;
        const times = (reads.get(path) ?? 0) + 1;
        reads.set(path, times);
        return times > 3 ? 404 : undefined;
      },
    },
  ],
  'a response to a create that shows the author that was sent, and not the one that is stored': [
    'readonly.on-create:warehouse.createUser',
    {
      store: (_, row, sent) => {
        namedAuthor = sent.createUser;
        return row;
      },
      show: (_, row, where) =>
        where === 'create' && namedAuthor !== undefined ? { ...row, createUser: namedAuthor } : row,
    },
  ],
  'a list that changes the last record that it shows': [
    'create.keeps-field:warehouse.comments',
    {
      list: (_, rows, all) => {
        const last = all.at(-1);
        if (last) last.comments = 'listed';
        return rows;
      },
    },
  ],
  'a response to an update that shows an amount in another form': [
    'profile.types.currency:deposit.balance',
    { show: (_, row, where) => (where === 'update' ? { ...row, balance: String(row.balance) } : row) },
  ],
  'an update of a total alone that is stored until the total is computed again': [
    'readonly.on-update:stockOrder.received',
    {
      store: (_, row, sent, before) => {
        if (!before) return row;
        return { ...row, received: 'lines' in sent ? 0 : (sent.received ?? before.received) };
      },
    },
  ],
  'an update that marks the record as deleted in a form of another setting': [
    'update.keeps-origin:warehouse',
    { store: (_, row, _sent, before) => (before ? Object.assign({ ...row }, { deleted: 1 }) : row) },
  ],
  'a time that is moved out of an hour that clocks skip': [
    'create.keeps-field:voucherTransaction.useDate',
    {
      store: (_, row) =>
        row.useDate === '2025-03-30T02:30:00Z' ? { ...row, useDate: '2025-03-30T03:30:00Z' } : row,
    },
  ],
};

test.each(Object.entries(FAULTS))('an answer that contradicts what is known %s', async (_, [id, faults]) => {
  reads.clear();
  const [, model = ''] = /:(\w+)/.exec(id) ?? [];
  const failed = await failures([model], { faults, rows: { brand: [{ name: 'one' }, { name: 'two' }] } });
  expect(failed).toContain(id);
});

test('a value that no retrieve shows is not a change by another write', async () => {
  const faults: Faults = {
    show: (_, row, where) => (where === 'retrieve' ? { ...row, comments: null } : row),
  };
  const failed = await failures(['warehouse'], { faults });
  expect(failed).toContain('create.keeps-field:warehouse.comments');
  expect(failed.filter((id) => id.includes('keeps-other-records'))).toEqual([]);
});

test('a total that each write rounds is no change by another write', async () => {
  const faults: Faults = { store: (_, row) => ({ ...row, balance: Math.floor(Number(row.balance)) }) };
  const failed = await failures(['deposit'], { faults });
  expect(failed).toContain('create.keeps-field:deposit.balance');
  expect(failed).not.toContain('update.keeps-other-records:deposit');
});

test.each([null, ''])(
  'a required value that an update omits is not %j, also if updates need all',
  async (serie) => {
    const faults: Faults = {
      store: (_, row, sent, before) => (before && !('serie' in sent) ? { ...row, serie } : row),
    };
    const full = createProfile({ ...FAULTY_SETTINGS, 'request.update': 'full' }, catalogue);
    const failed = await failures(['share'], { faults }, { profile: full, rules: ['required'] });
    expect(failed).toEqual(['required.on-update:share.serie']);
  },
);

test('a delete that ends only records which were never updated', async () => {
  const changed = new Set<string>();
  const faults: Faults = {
    after: (operation, model, row, tables) => {
      const key = `${model}/${row.id}`;
      if (operation === 'update') changed.add(key);
      else if (operation === 'delete' && changed.has(key)) tables[model]?.set(row.id, row);
    },
  };
  expect(await failures(['brand'], { faults })).toContain('operations.delete:brand');
});

test('emoji lost where texts are short', async () => {
  const faults: Faults = {
    store: (_, row) => ({ ...row, body: String(row.body).replaceAll(/[\u{10000}-\u{10ffff}]/gu, '') }),
  };
  const short = createProfile({ ...FAULTY_SETTINGS, 'limits.text': 20 }, catalogue);
  const found = await failures(['taskComment'], { faults }, { profile: short });
  expect(found).toContain('create.keeps-field:taskComment.body');
});

test.each([
  ['delete', 'delete.keeps-other-records', 'used again', true],
  ['create', 'create.distinct', 'not used again', false],
] as const)(
  'a record that goes with the %s of another model fails only %s, where IDs are %s',
  async (operation, rule, _, reuseIds) => {
    const after: Faults['after'] = (done, model, __, { taskComment: comments = new Map() }) => {
      if (done === operation && model === 'multipack') comments.delete(Math.max(0, ...comments.keys()));
    };
    const failed = await failures(['multipack', 'taskComment'], { faults: { after }, reuseIds });
    expect(failed).toEqual([`${rule}:multipack`]);
  },
);

const RULES = ['fields.wrong-type-on-create', 'fields.wrong-type-on-update', 'required', 'values'];

test.each([
  ['warehouse', ['fields.wrong-type-on-update:warehouse.name', 'required.on-update:warehouse.name']],
  ['locker', ['values.refused-on-update:locker.status=-1']],
])('a refused update that stores what is valid in it: %s', async (model, ids) => {
  const refused: Faults['refused'] = (_, __, valid, before) => void (before && Object.assign(before, valid));
  expect(await failures([model], { faults: { refused } }, { rules: RULES })).toEqual(
    expect.arrayContaining(ids),
  );
});

test.each([
  ['null', 'required.null-on-create:locker.name', (value: unknown) => value === null],
  [
    'of another type',
    'fields.wrong-type-on-create:locker.name',
    (value: unknown) => Array.isArray(value) || (typeof value === 'object' && value !== null),
  ],
])(
  'a refused create that stores what is valid in it where a required value is %s',
  async (_, id, isMeant) => {
    const refused: Faults['refused'] = (model, sent, valid, before) =>
      void (!before && 'type' in sent && isMeant(sent.name) && service.insert(model, valid));
    const service = await start({ faults: { refused } });
    expect(await failuresAt(service.url, ['locker'], { rules: RULES })).toContain(id);
  },
);

/** A service that breaks where the value of an update is such. */
const breaksAt = (field: string, isSuch: (value: unknown) => boolean): { faults: Faults } => ({
  faults: {
    store: (_, row, sent) => {
      if (row.id > 0 && isSuch(sent[field])) throw new Error('out of order');
      return row;
    },
  },
});

test.each<[string, string, (value: unknown) => boolean]>([
  ['a number below zero', 'value', (value) => typeof value === 'number' && value < 0],
  ['zero', 'amount', (value) => value === 0],
])('an update to %s that breaks the service fails its field, and no other', async (_, field, isSuch) => {
  const failed = await failures(['productSplit'], breaksAt(field, isSuch));
  expect(failed).toEqual([`update.changes-field:productSplit.${field}`]);
});

test('an update that moves created by some milliseconds fails, also where only updates of one field do', async () => {
  const store: Faults['store'] = (_, row, sent) =>
    row.id > 0 && Object.keys(sent).length === 1
      ? { ...row, created: new Date(Date.parse(String(row.created)) + 7).toISOString() }
      : row;
  expect(await failures(['warehouse'], { faults: { store } })).toEqual(['update.keeps-origin:warehouse']);
});

test('a list without the author is no update that changes it', async () => {
  const show: Faults['show'] = (_, row, where) => {
    const { createUser, ...rest } = row;
    return where === 'list' ? rest : row;
  };
  const found = await failures(['warehouse'], { faults: { show } });
  expect(found).not.toContain('update.keeps-origin:warehouse');
  expect(found).toContain('list.agrees:warehouse');
});
