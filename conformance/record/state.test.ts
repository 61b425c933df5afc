import { describe, expect, test } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { catalogue } from '../../testing/checks.ts';
import { FAULTY_SETTINGS, type Faults } from '../../testing/services/faulty-service.ts';
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

/** How often each path was read, and the author that the last write named. */
const reads = new Map<string, number>();
let namedAuthor: unknown;
/** Each fault that no defect of the mock has, with the model it is looked for in, and a case that fails. */
const FAULTS: readonly (readonly [what: string, model: string, id: string, faults: Faults])[] = [
  [
    'a truth value that a create of the required fields alone loses',
    'customerTag',
    'create.keeps-field:customerTag.isDefault',
    { store: (_, row, sent, before) => (before || 'deleted' in sent ? row : { ...row, isDefault: false }) },
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
];

describe('an answer that contradicts what is known', () => {
  test.each(FAULTS)('%s', async (_, model, id, faults) => {
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
