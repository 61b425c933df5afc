import type { Row } from '../records/tables.ts';
import { type At, type Defect, type On, without } from './defect.ts';

type Written = At & { readonly id: number };

/** Does something after a write to a model. */
function after(
  name: string,
  model: string,
  on: On,
  harm: (at: Written) => void,
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

/** Another record than the one that was written. */
const oldest = ({ id, model, tables }: At, name = model.name): Row | undefined =>
  tables.all(name).find((row) => name !== model.name || row.id !== id);
const neighbour = ({ id = 0, model, tables }: At): Row | undefined =>
  tables.all(model.name).findLast((row) => Number(row.id) < id);

/** Deletes another record, where there is one. */
const takes = (model: string, pick: (at: Written) => Row | undefined) => (at: Written) => {
  const row = pick(at);
  if (row) at.tables.remove(model, Number(row.id));
};

/** Changes another record, where there is one. */
const changes =
  (model: string, pick: (at: Written) => Row | undefined, change: (at: Written) => Row) => (at: Written) => {
    const row = pick(at);
    if (row) at.tables.change(model, Number(row.id), change(at));
  };

const OTHERS = ['update.keeps-other-records', 'delete.keeps-other-records', 'create.keeps-other-records'];

/** Writes that do more than they should, or do not last. */
export const AFTER_WRITES: readonly Defect[] = [
  after(
    'update-renames-neighbour',
    'brand',
    'update',
    changes('brand', neighbour, () => ({ name: 'renamed' })),
    OTHERS,
  ),
  after(
    'update-renames-oldest',
    'locker',
    'update',
    changes('locker', oldest, (at) => ({ name: `renamed ${at.id}` })),
    OTHERS,
  ),
  {
    name: 'update-hits-namesake',
    rules: OTHERS,
    models: ['customerTag'],
    // Before the update, when all of them still have the name.
    values: (values, { before, id, model, on, tables }) => {
      if (model.name !== 'customerTag' || on !== 'update') return values;
      for (const row of tables.all('customerTag'))
        if (row.id !== id && row.name === before?.name) tables.change('customerTag', Number(row.id), values);
      return values;
    },
  },
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
    'delete-takes-namesakes',
    'lockerType',
    'delete',
    ({ before, tables }) => {
      for (const row of tables.all('lockerType'))
        if (row.name === before?.name) tables.remove('lockerType', Number(row.id));
    },
    OTHERS,
  ),
  after('delete-takes-neighbour', 'taskComment', 'delete', takes('taskComment', neighbour), OTHERS),
  after('delete-takes-oldest', 'metricData', 'delete', takes('metricData', oldest), OTHERS),
  after(
    'delete-changes-oldest',
    'crmContact',
    'delete',
    changes('crmContact', oldest, (at) => ({ city: `moved ${at.id}` })),
    OTHERS,
  ),
  after(
    'delete-takes-another-model',
    'multipack',
    'delete',
    takes('taskComment', (at) => at.tables.all('taskComment').at(-1)),
    OTHERS,
    ['taskComment'],
  ),
  after(
    'update-renames-another-model',
    'productSplit',
    'update',
    changes(
      'metricData',
      (at) => oldest(at, 'metricData'),
      (at) => ({ tenant: `renamed ${at.id}` }),
    ),
    OTHERS,
    ['metricData'],
  ),
  after(
    'create-takes-oldest',
    'shareFile',
    'create',
    takes('shareFile', (at) => at.tables.all('shareFile').find(({ id }) => Number(id) < at.id)),
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
];
