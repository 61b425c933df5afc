import { afterEach, describe, expect, test } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { against, type Checking, catalogue, check } from '../../testing/checks.ts';
import {
  FAULTY_SETTINGS,
  type Faults,
  type FaultyOptions,
  type Row,
  startFaultyService,
} from '../../testing/services/faulty-service.ts';
import { verdictOf } from '../results/verdict.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const profile = createProfile(FAULTY_SETTINGS, catalogue);

/** What stands against a service of another make. */
async function failures(models: readonly string[], options: FaultyOptions, more: Checking = {}) {
  const service = await startFaultyService(options);
  open.push(service);
  const results = await check(service.url, { profile, models, looks: [0], ...more });
  return against(results)
    .filter(({ outcome }) => outcome !== 'flaky')
    .map(({ id }) => id);
}

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
    'an update that changes a neighbour',
    'voucherCategory',
    'update.keeps-other-records:voucherCategory',
    {
      after: (operation, model, row, tables) => {
        const [first] = tables[model]?.values() ?? [];
        if (operation === 'update' && first && first.id !== row.id) first.priority = row.priority;
      },
    },
  ],
];

describe('an answer that contradicts what is known', () => {
  test.each(FAULTS)('%s', async (_, model, id, faults) => {
    ghosts.clear();
    const failed = await failures([model], { faults, rows: { brand: [{ name: 'one' }, { name: 'two' }] } });
    expect(failed).toContain(id);
  });
});

describe('a record of another model, which no reference leads to,', () => {
  const models = ['warehouse', 'taskComment'];
  const rows = { taskComment: [{ body: 'an old one' }, { body: 'another' }] };

  test('that is gone once another one is deleted is named, and nobody is blamed without a proof', async () => {
    const faults: Faults = {
      after: (operation, model, _, tables) =>
        void (operation === 'delete' && model === 'warehouse' && tables.taskComment?.delete(1)),
    };
    const service = await startFaultyService({ faults, rows });
    open.push(service);
    const results = await check(service.url, { profile, models, looks: [0] });
    expect(against(results)).toEqual([]);
    expect(verdictOf(results)).toBe('inconclusive');
    expect(results.strangers).toEqual([
      expect.stringMatching(/^taskComment.1 is not there any more after a delete/),
    ]);
  });

  test('that an update renames', async () => {
    const faults: Faults = {
      after: (operation, model, { id }, tables) => {
        const other = tables.taskComment?.get(2);
        if (operation === 'update' && model === 'warehouse' && other) other.body = `renamed ${id}`;
      },
    };
    const failed = await failures(models, { faults, rows });
    expect(failed.filter((id) => id.includes('keeps-other-records'))).not.toEqual([]);
  });
});

test('somebody else who writes is told, and explains what became of records that are not ours', async () => {
  const service = await startFaultyService({ rows: { brand: [{ name: 'one' }, { name: 'two' }] } });
  open.push(service);
  let asked = 0;
  const results = await check(service.url, {
    profile,
    models: ['brand'],
    looks: [0],
    onEvent: ({ type }) => {
      if (type !== 'case' || ++asked !== 20) return;
      service.insert('brand', { name: 'of somebody else', created: '2030-01-01T00:00:00Z' });
      const [row] = service.tables.brand?.values() ?? [];
      if (row) row.name = 'renamed by somebody else';
    },
  });
  expect(against(results)).toEqual([]);
  expect(results.strangers?.join()).toMatch(/brand.[0-9]+ made.*brand.1 changed/);
});

describe('somebody else who changes an old record', () => {
  /** How often, in milliseconds; once where undefined. */
  test.each([undefined, 5])(
    'leaves the verdict open, and no case failed or blocked (every %s ms)',
    async (every) => {
      const service = await startFaultyService({ rows: { brand: [{ name: 'one' }, { name: 'two' }] } });
      open.push(service);
      const [row] = service.tables.brand?.values() ?? [];
      const change = () => {
        if (row) row.name = `${row.name}!`;
      };
      const timer = every === undefined ? undefined : setInterval(change, every);
      let asked = 0;
      const onEvent = ({ type }: { type: string }) => void (type === 'case' && ++asked === 20 && change());
      const results = await check(service.url, { profile, models: ['brand'], looks: [0], onEvent });
      clearInterval(timer);
      expect(against(results)).toEqual([]);
      expect(verdictOf(results)).toBe('inconclusive');
      expect(results.strangers?.join()).toContain('brand/1');
      expect(results.leftovers).toEqual([]);
    },
  );
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
