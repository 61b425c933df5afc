import type { Row } from '../records/tables.ts';
import { type At, type Defect, type On, without } from './defect.ts';

type Written = At & { readonly id: number };

/** Does something after a write to the first of the models; one of the rules fails (default: of `OTHERS`). */
type Harm = readonly [
  name: string,
  models: readonly string[],
  on: On,
  harm: (at: Written) => void,
  rules?: readonly string[],
];

/** Another record than the one that was written. */
const oldest = ({ id, model, tables }: At): Row | undefined =>
  tables.all(model.name).find((row) => row.id !== id);
const neighbour = ({ id = 0, model, tables }: At): Row | undefined =>
  tables.all(model.name).findLast((row) => Number(row.id) < id);
const newestComment = ({ tables }: At) => tables.all('taskComment').at(-1);

/** Deletes another record, of the same model by default, where there is one. */
const takes =
  (pick: (at: Written) => Row | undefined, model?: string) =>
  (at: Written): void => {
    const row = pick(at);
    if (row) at.tables.remove(model ?? at.model.name, Number(row.id));
  };

/** Changes another record, of the same model by default, where there is one. */
const changes =
  (pick: (at: Written) => Row | undefined, change: (at: Written) => Row, model?: string) =>
  (at: Written): void => {
    const row = pick(at);
    if (row) at.tables.change(model ?? at.model.name, Number(row.id), change(at));
  };

/** Changes the record that was written. */
const then =
  (change: (at: Written) => Row) =>
  (at: Written): void =>
    at.tables.change(at.model.name, at.id, change(at));

const copies = ({ id, model, tables }: Written): void => {
  tables.insert(model.name, without(tables.find(model.name, id) ?? {}, 'id'));
};

const takesNamesakes = ({ before, model, tables }: Written): void => {
  for (const row of tables.all(model.name))
    if (row.name === before?.name) tables.remove(model.name, Number(row.id));
};

const OTHERS = ['update.keeps-other-records', 'delete.keeps-other-records', 'create.keeps-other-records'];
const ORIGIN = ['update.keeps-origin'];

const HARMS: readonly Harm[] = [
  ['update-renames-neighbour', ['brand'], 'update', changes(neighbour, () => ({ name: 'renamed' }))],
  ['update-renames-oldest', ['locker'], 'update', changes(oldest, ({ id }) => ({ name: `renamed ${id}` }))],
  ['update-makes-a-copy', ['customerGroupItem'], 'update', copies],
  ['delete-takes-namesakes', ['lockerType'], 'delete', takesNamesakes],
  ['delete-takes-neighbour', ['taskComment'], 'delete', takes(neighbour)],
  ['delete-takes-oldest', ['metricData'], 'delete', takes(oldest)],
  ['delete-changes-oldest', ['crmContact'], 'delete', changes(oldest, ({ id }) => ({ city: `moved ${id}` }))],
  ['delete-takes-another-model', ['multipack', 'taskComment'], 'delete', takes(newestComment, 'taskComment')],
  [
    'update-renames-another-model',
    ['productSplit', 'metricData'],
    'update',
    changes(
      ({ tables }) => tables.all('metricData')[0],
      ({ id }) => ({ tenant: `renamed ${id}` }),
      'metricData',
    ),
  ],
  [
    'create-takes-oldest',
    ['shareFile'],
    'create',
    takes((at) => at.tables.all('shareFile').find(({ id }) => Number(id) < at.id)),
    [...OTHERS, 'create.distinct', 'list.shows-record', 'operations.retrieve'],
  ],
  [
    'create-makes-two',
    ['relationshipGroup'],
    'create',
    copies,
    ['create.distinct', 'operations.create', 'list.shows-record', 'create.keeps-other-records'],
  ],
  [
    'update-moves-created',
    ['voucherCategory'],
    'update',
    then(({ id, model, tables }) => ({ created: tables.find(model.name, id)?.updated })),
    ORIGIN,
  ],
  [
    'update-moves-author',
    ['voucherBeneficiary'],
    'update',
    then(({ id }) => ({ createUser: id + 10 })),
    ORIGIN,
  ],
  [
    'update-deletes-it',
    ['customerTag'],
    'update',
    then(() => ({ deleted: 1 })),
    [...ORIGIN, 'operations.update', 'update.changes-field'],
  ],
  [
    'create-forgets',
    ['ecommerceOrder'],
    'create',
    ({ id, tables }) => tables.remove('ecommerceOrder', id),
    ['operations.create', 'operations.create-required', 'operations.retrieve', 'create.keeps-field'],
  ],
];

/** Writes that do more than they should, or do not last. */
export const AFTER_WRITES: readonly Defect[] = [
  ...HARMS.map(
    ([name, models, on, harm, rules = OTHERS]): Defect => ({
      name,
      rules,
      models,
      after: (at) => {
        if (at.model.name === models[0] && at.on === on && at.id !== undefined) harm({ ...at, id: at.id });
      },
    }),
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
  {
    name: 'delete-does-nothing',
    rules: ['operations.delete'],
    models: ['brand'],
    keeps: ({ name }) => name === 'brand',
  },
];
