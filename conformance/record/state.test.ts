import { describe, expect, test } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { catalogue } from '../../testing/checks.ts';
import { FAULTY_SETTINGS, type Faults, type Row } from '../../testing/services/faulty-service.ts';
import { useFaultyService } from '../../testing/use-faulty-service.ts';

const { failures } = useFaultyService();

const ALL = [
  'brand',
  'warehouse',
  'customerTag',
  'voucherCategory',
  'productSplit',
  'multipack',
  'taskComment',
];

test('a service that breaks nothing is not failed', async () => {
  expect(await failures(ALL, { rows: { brand: [{ name: 'old' }] } })).toEqual([]);
});

test('ids that are given again are no records that come back', async () => {
  expect(await failures(ALL, { reuseIds: true })).toEqual([]);
});

/** What becomes of a text. */
const ALTERED: readonly (readonly [what: string, change: (text: string) => string])[] = [
  ['texts cut at 50 characters', (text) => text.slice(0, 50)],
  ['accents stripped', (text) => text.normalize('NFD').replaceAll(/\p{Mn}/gu, '')],
  ['emoji lost', (text) => text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '')],
  ['capitals lowered', (text) => text.toLowerCase()],
  ['leading zeros lost', (text) => text.replace(/^0+(?=\d)/, '')],
  ['HTML escaped', (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')],
];

const ghosts = new Map<number, Row>();
/** How often each path was read, and the author that the last write named. */
const reads = new Map<string, number>();
let namedAuthor: unknown;
/** Each fault with the model it is looked for in, and a case that fails. */
const FAULTS: readonly (readonly [what: string, model: string, id: string, faults: Faults])[] = [
  [
    'a truth value that a create of the required fields alone loses',
    'customerTag',
    'create.keeps-field:customerTag.isDefault',
    { store: (_, row, sent, before) => (before || 'deleted' in sent ? row : { ...row, isDefault: false }) },
  ],
  [
    'a truth value that an update of another field resets',
    'customerTag',
    'update.keeps-other-fields:customerTag.public',
    { store: (_, row, sent, before) => (before && !('public' in sent) ? { ...row, public: false } : row) },
  ],
  [
    'a deleted record that stays in the list',
    'brand',
    'operations.delete:brand',
    {
      after: (operation, _, row) => void (operation === 'delete' && ghosts.set(row.id, row)),
      list: (_, rows) => [...rows, ...ghosts.values()],
    },
  ],
  [
    'records that are made and never listed',
    'brand',
    'list.shows-record:brand',
    { list: (_, rows) => rows.filter(({ id }) => id <= 2) },
  ],
  [
    'a list that shows another value',
    'warehouse',
    'list.shows-record:warehouse',
    { show: (_, row, where) => (where === 'list' ? { ...row, comments: null } : row) },
  ],
  [
    'an update that takes a record away by the deleted it is sent',
    'brand',
    'readonly.on-update:brand.deleted',
    {
      store: (_, row, sent) => ({ ...row, deleted: sent.deleted === true }),
      after: (operation, model, row, tables) =>
        void (operation === 'update' && row.deleted && tables[model]?.delete(row.id)),
    },
  ],
  [
    'an update that takes its record away',
    'brand',
    'update.keeps-origin:brand',
    {
      after: (operation, model, row, tables) =>
        void (operation === 'update' && tables[model]?.delete(row.id)),
    },
  ],
  [
    'an update that ignores null',
    'warehouse',
    'update.changes-field:warehouse.comments',
    {
      store: (_, row, sent, before) =>
        before && sent.comments === null ? { ...row, comments: before.comments } : row,
    },
  ],
  [
    'a DELETE without an id that wipes the model',
    'warehouse',
    'absent.delete-all:warehouse',
    {
      first: (method, path, tables) => {
        if (method !== 'DELETE' || path !== '/api/model/warehouse') return undefined;
        tables.warehouse?.clear();
        return { status: 204 };
      },
    },
  ],
  [
    'a value of a list that is refused, while others are taken',
    'bookingDrawItem',
    'values.accepted:bookingDrawItem.status=1',
    { refuse: (_, sent) => (sent.status === 1 ? 'status may not be 1' : undefined) },
  ],
  [
    'numbers rounded to two decimals',
    'productSplit',
    'create.keeps-field:productSplit.value',
    {
      store: (_, row) => ({
        ...row,
        value: typeof row.value === 'number' ? Number(row.value.toFixed(2)) : null,
      }),
    },
  ],
  [
    'numbers made positive',
    'productSplit',
    'create.keeps-field:productSplit.amount',
    { store: (_, row) => ({ ...row, amount: Math.abs(Number(row.amount)) }) },
  ],
  [
    'integers cut at 32 bits',
    'voucherCategory',
    'create.keeps-field:voucherCategory.priority',
    { store: (_, row) => ({ ...row, priority: Number(row.priority) | 0 }) },
  ],
  ...ALTERED.map(
    ([what, change]) =>
      [
        what,
        'taskComment',
        'create.keeps-field:taskComment.body',
        { store: (_: string, row: Row) => ({ ...row, body: change(String(row.body)) }) },
      ] as const,
  ),
  [
    'an update that changes a record that was there before',
    'brand',
    'update.keeps-other-records:brand',
    {
      after: (operation, model, row, tables) => {
        const old = tables[model]?.get(1);
        if (operation === 'update' && old && row.id !== 1) old.name = `${old.name} and more`;
      },
    },
  ],
  [
    'a delete that takes a record along that was there before',
    'brand',
    'delete.keeps-other-records:brand',
    { after: (operation, model, _, tables) => void (operation === 'delete' && tables[model]?.delete(1)) },
  ],
  [
    'a record that is gone once it was read three times',
    'warehouse',
    'operations.retrieve:warehouse',
    {
      first: (method, path) => {
        if (method !== 'GET' || !/\/\d+$/.test(path)) return undefined;
        const times = (reads.get(path) ?? 0) + 1;
        reads.set(path, times);
        return times > 3 ? { status: 404, body: { error: 'no such record' } } : undefined;
      },
    },
  ],
  [
    'a response to a create that shows the author that was sent, and not the one that is stored',
    'warehouse',
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
  [
    'a response to an update that shows the record as deleted',
    'warehouse',
    'update.keeps-origin:warehouse',
    { show: (_, row, where) => (where === 'update' ? { ...row, deleted: true } : row) },
  ],
  [
    'a list that changes the last record that it shows',
    'warehouse',
    'create.keeps-field:warehouse.comments',
    {
      list: (_, rows, all) => {
        const last = all.at(-1);
        if (last) last.comments = 'listed';
        return rows;
      },
    },
  ],
  [
    'an update that marks the record as deleted in a form of another setting',
    'warehouse',
    'update.keeps-origin:warehouse',
    { store: (_, row, _sent, before) => (before ? { ...row, deleted: 1 as unknown as boolean } : row) },
  ],
  [
    'a create that changes when the record before it was created',
    'warehouse',
    'create.distinct:warehouse',
    {
      after: (operation, model, row, tables) => {
        const before = tables[model]?.get(row.id - 1);
        if (operation === 'create' && before) before.created = '2024-01-01T00:00:00Z';
      },
    },
  ],
];

describe('an answer that contradicts what is known', () => {
  test.each(FAULTS)('%s', async (_, model, id, faults) => {
    ghosts.clear();
    reads.clear();
    const failed = await failures([model], { faults, rows: { brand: [{ name: 'one' }, { name: 'two' }] } });
    expect(failed).toContain(id);
  });
});

test('what keeps the meaning of a text is advice', async () => {
  const faults: Faults = { store: (_, row) => ({ ...row, body: String(row.body).trim().normalize() }) };
  expect(await failures(['taskComment'], { faults })).toEqual([]);
});

test('emoji lost where texts are short', async () => {
  const faults: Faults = {
    store: (_, row) => ({ ...row, body: String(row.body).replaceAll(/[\u{10000}-\u{10ffff}]/gu, '') }),
  };
  const short = createProfile({ ...FAULTY_SETTINGS, 'limits.text': 20 }, catalogue);
  const found = await failures(['taskComment'], { faults }, { profile: short });
  expect(found).toContain('create.keeps-field:taskComment.body');
});
