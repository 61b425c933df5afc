import type { Row } from '../records/tables.ts';
import type { At, Defect, On } from './defect.ts';

/** Does something after a write to a model. */
function after(
  name: string,
  model: string,
  on: On,
  harm: (at: At & { readonly id: number }) => void,
  rules: readonly string[],
  others: readonly string[] = [],
): Defect {
  return {
    name,
    rules,
    models: [model, ...others],
    after: (at) => {
      if (at.model.name === model && at.on === on && at.id !== undefined) harm({ ...at, id: at.id });
    },
  };
}

const oldest = ({ id, model, tables }: At, name = model.name): Row | undefined =>
  tables.all(name).find((row) => name !== model.name || row.id !== id);
const neighbour = ({ id = 0, model, tables }: At): Row | undefined =>
  tables.all(model.name).findLast((row) => Number(row.id) < id);

/** Changes what is shown of a model where it is shown by some operations. */
function shows(
  name: string,
  model: string,
  on: readonly On[],
  change: (row: Row) => Row,
  rules: readonly string[],
): Defect {
  return {
    name,
    rules,
    models: [model],
    shown: (row, at) => (at.model.name === model && on.includes(at.on) ? change(row) : row),
  };
}

function lists(
  name: string,
  model: string,
  change: (rows: Row[], at: At) => Row[],
  rules: readonly string[],
): Defect {
  return {
    name,
    rules,
    models: [model],
    listed: (rows, at) => (at.model.name === model ? change(rows, at) : rows),
  };
}

const ALL = ['create', 'retrieve', 'list', 'update'] as const;
const without = (row: Row, name: string): Row =>
  Object.fromEntries(Object.entries(row).filter(([key]) => key !== name));
const OTHERS = ['update.keeps-other-records', 'delete.keeps-other-records', 'create.keeps-other-records'];
const LISTED = ['list.shows-record', 'list.shows-update', 'list.agrees', 'operations.list'];

export const RECORDS: readonly Defect[] = [
  after(
    'update-renames-neighbour',
    'brand',
    'update',
    (at) => {
      const row = neighbour(at);
      if (row) at.tables.change('brand', Number(row.id), { name: 'renamed' });
    },
    OTHERS,
  ),
  after(
    'update-renames-oldest',
    'locker',
    'update',
    (at) => {
      const row = oldest(at);
      if (row) at.tables.change('locker', Number(row.id), { name: `renamed ${at.id}` });
    },
    OTHERS,
  ),
  after(
    'update-makes-a-copy',
    'customerGroupItem',
    'update',
    ({ id, tables }) => {
      tables.insert('customerGroupItem', without(tables.find('customerGroupItem', id) ?? {}, 'id'));
    },
    OTHERS,
  ),
  after(
    'delete-takes-neighbour',
    'taskComment',
    'delete',
    (at) => {
      const row = neighbour(at);
      if (row) at.tables.remove('taskComment', Number(row.id));
    },
    OTHERS,
  ),
  after(
    'delete-takes-oldest',
    'metricData',
    'delete',
    (at) => {
      const row = oldest(at);
      if (row) at.tables.remove('metricData', Number(row.id));
    },
    OTHERS,
  ),
  after(
    'delete-changes-oldest',
    'crmContact',
    'delete',
    (at) => {
      const row = oldest(at);
      if (row) at.tables.change('crmContact', Number(row.id), { city: `moved ${at.id}` });
    },
    OTHERS,
  ),
  after(
    'delete-takes-another-model',
    'multipack',
    'delete',
    (at) => {
      const row = at.tables.all('taskComment').at(-1);
      if (row) at.tables.remove('taskComment', Number(row.id));
    },
    OTHERS,
    ['taskComment'],
  ),
  after(
    'update-renames-another-model',
    'productSplit',
    'update',
    (at) => {
      const row = oldest(at, 'metricData');
      if (row) at.tables.change('metricData', Number(row.id), { tenant: `renamed ${at.id}` });
    },
    OTHERS,
    ['metricData'],
  ),
  after(
    'create-takes-oldest',
    'shareFile',
    'create',
    (at) => {
      const row = at.tables.all('shareFile').find(({ id }) => Number(id) < at.id);
      if (row) at.tables.remove('shareFile', Number(row.id));
    },
    [...OTHERS, 'create.distinct', 'list.shows-record', 'operations.retrieve'],
  ),
  after(
    'create-makes-two',
    'relationshipGroup',
    'create',
    ({ id, tables }) => {
      tables.insert('relationshipGroup', without(tables.find('relationshipGroup', id) ?? {}, 'id'));
    },
    ['create.distinct', 'operations.create', 'list.shows-record', 'create.keeps-other-records'],
  ),
  after(
    'update-moves-created',
    'voucherCategory',
    'update',
    ({ id, tables }) => {
      tables.change('voucherCategory', id, { created: tables.find('voucherCategory', id)?.updated });
    },
    ['update.keeps-origin'],
  ),
  after(
    'update-moves-author',
    'voucherBeneficiary',
    'update',
    ({ id, tables }) => {
      tables.change('voucherBeneficiary', id, { createUser: id + 10 });
    },
    ['update.keeps-origin'],
  ),
  after(
    'update-deletes-it',
    'customerTag',
    'update',
    ({ id, tables }) => {
      tables.change('customerTag', id, { deleted: 1 });
    },
    ['update.keeps-origin', 'operations.update', 'update.changes-field'],
  ),
  after(
    'create-forgets',
    'ecommerceOrder',
    'create',
    ({ id, tables }) => {
      tables.remove('ecommerceOrder', id);
    },
    ['operations.create', 'operations.create-required', 'operations.retrieve', 'create.keeps-field'],
  ),
  {
    name: 'delete-does-nothing',
    rules: ['operations.delete'],
    models: ['brand'],
    keeps: ({ name }) => name === 'brand',
  },
  lists('list-hides-new', 'lockerType', (rows) => rows.slice(0, 3), LISTED),
  lists(
    'list-shows-one-twice',
    'voucherCategory',
    (rows) => rows.flatMap((row, index) => (index === rows.length - 1 ? [row, row] : [row])),
    [...LISTED, 'list.ids-unique'],
  ),
  lists('list-leaves-out-field', 'warehouse', (rows) => rows.map((row) => without(row, 'name')), [
    ...LISTED,
    'required.present',
    'fields.type',
  ]),
  lists('list-without-ids', 'customerGroup', (rows) => rows.map((row) => without(row, 'id')), [
    'fields.id',
    ...LISTED,
  ]),
  lists('list-shows-old-name', 'shareTransfer', (rows) => rows.map((row) => ({ ...row, price: 1 })), LISTED),
  lists(
    'list-mixes-records-up',
    'deposit',
    (rows) => rows.map((row, index) => ({ ...row, balance: rows.at(index - 1)?.balance ?? row.balance })),
    LISTED,
  ),
  lists('list-of-another-model', 'editedSale', (_, { tables }) => tables.all('warehouse'), [
    ...LISTED,
    'required.present',
    'fields.type',
  ]),
  lists('list-shows-what-is-deleted', 'supplier', listDeleted(), ['operations.delete', ...LISTED]),
  {
    name: 'total-counts-the-page',
    rules: ['profile.response.total', 'list.total'],
    models: ['brand'],
    total: (_, shown) => shown,
  },
  {
    name: 'page-shows-first-twice',
    rules: ['profile.list.paging', 'advice.pages-part-list', 'list.pages'],
    models: ['brand'],
    page: (rows, all) =>
      rows.length > 0 && rows.length < all.length && rows[0] !== all[0]
        ? [all[0] ?? {}, ...rows.slice(1)]
        : rows,
  },
  shows('id-as-text', 'brand', ALL, (row) => ({ ...row, id: String(row.id) }), ['fields.id', 'fields.type']),
  shows('id-missing-after-create', 'locker', ['create'], (row) => without(row, 'id'), [
    'fields.id',
    'operations.create',
    'operations.create-required',
  ]),
  shows('int-as-text', 'voucherCategory', ALL, (row) => ({ ...row, priority: String(row.priority) }), [
    'fields.type',
  ]),
  shows('bool-as-text', 'customerTag', ALL, (row) => ({ ...row, public: String(row.public) }), [
    'fields.type',
  ]),
  shows('text-as-number', 'shareTransfer', ALL, (row) => ({ ...row, comments: 7 }), ['fields.type']),
  shows(
    'date-as-timestamp',
    'editedSale',
    ALL,
    (row) => ({ ...row, issueDate: Date.parse(String(row.issueDate)) }),
    ['fields.type'],
  ),
  shows(
    'float-as-text-in-lists',
    'voucherProduct',
    ['list'],
    (row) => ({ ...row, ratio: String(row.ratio) }),
    ['fields.type', ...LISTED],
  ),
  shows('links-as-text', 'consumerHomeItem', ALL, (row) => ({ ...row, tags: String(row.tags) }), [
    'fields.type',
  ]),
  shows('required-shown-as-null', 'metricData', ['retrieve'], (row) => ({ ...row, tenant: null }), [
    'required.present',
    'create.keeps-field',
  ]),
  shows('update-answers-the-old', 'warehouse', ['update'], (row) => ({ ...row, name: 'as it was' }), [
    'operations.update',
    'update.changes-field',
  ]),
  shows('create-answers-otherwise', 'taskComment', ['create'], (row) => ({ ...row, body: 'another' }), [
    'create.keeps-field',
    'operations.create',
  ]),
  shows('retrieve-shows-another-id', 'share', ['retrieve'], (row) => ({ ...row, id: Number(row.id) + 1 }), [
    'operations.retrieve',
    'fields.id',
  ]),
  shows('task-shows-deleted', 'subscriptionTask', ALL, (row) => ({ ...row, deleted: false }), [
    'fields.excluded',
  ]),
  shows('closed-model-shows-more', 'customerFile', ALL, (row) => ({ ...row, size: 5 }), ['fields.only']),
  shows(
    'new-record-is-deleted',
    'voucherProduct',
    ['create'],
    (row) => ({ ...row, deleted: typeof row.deleted === 'number' ? 1 : true }),
    [
      'operations.create',
      'update.keeps-origin',
      'create.keeps-field',
      'readonly.on-create',
      'operations.create-required',
    ],
  ),
];

/** Keeps showing what a delete took away. */
function listDeleted(): (rows: Row[], at: At) => Row[] {
  const seen = new Map<number, Row>();
  return (rows) => {
    for (const row of rows) seen.set(Number(row.id), row);
    return [...seen.values()];
  };
}
