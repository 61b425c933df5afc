import type { Row } from '../records/tables.ts';
import { type Defect, LISTED, type On, without } from './defect.ts';

const ALL = ['create', 'retrieve', 'list', 'update'] as const;

/** Changes what some operations show of a model; one of the rules fails. */
type Shown = readonly [
  name: string,
  model: string,
  on: readonly On[],
  change: (row: Row) => Row,
  ...rules: string[],
];

const asText = (name: string) => (row: Row) => ({ ...row, [name]: String(row[name]) });
const as = (name: string, value: unknown) => (row: Row) => ({ ...row, [name]: value });

const CREATES = ['operations.create', 'operations.create-required'];
const KEEPS = 'create.keeps-field';

const CHANGED: readonly Shown[] = [
  ['id-as-text', 'brand', ALL, asText('id'), 'fields.id', 'fields.type'],
  ['id-missing-after-create', 'locker', ['create'], (row) => without(row, 'id'), 'fields.id', ...CREATES],
  ['int-as-text', 'voucherCategory', ALL, asText('priority'), 'fields.type'],
  ['bool-as-text', 'customerTag', ALL, asText('public'), 'fields.type'],
  ['text-as-number', 'shareTransfer', ALL, as('comments', 7), 'fields.type'],
  ['date-as-timestamp', 'editedSale', ALL, asTimestamp, 'fields.type'],
  ['float-as-text-in-lists', 'voucherProduct', ['list'], asText('ratio'), 'fields.type', ...LISTED],
  ['links-as-text', 'consumerHomeItem', ALL, asText('tags'), 'fields.type'],
  ['required-shown-as-null', 'metricData', ['retrieve'], as('tenant', null), 'required.present', KEEPS],
  [
    'update-answers-the-old',
    'warehouse',
    ['update'],
    as('name', 'as it was'),
    'operations.update',
    'update.changes-field',
  ],
  ['create-answers-otherwise', 'taskComment', ['create'], as('body', 'another'), KEEPS, 'operations.create'],
  ['retrieve-shows-another-id', 'share', ['retrieve'], withNextId, 'operations.retrieve', 'fields.id'],
  ['task-shows-deleted', 'subscriptionTask', ALL, as('deleted', false), 'fields.excluded'],
  ['closed-model-shows-more', 'customerFile', ALL, as('size', 5), 'fields.only'],
  [
    'new-record-is-deleted',
    'voucherProduct',
    ['create'],
    (row) => ({ ...row, deleted: typeof row.deleted === 'number' ? 1 : true }),
    ...[...CREATES, 'update.keeps-origin', KEEPS, 'readonly.on-create'],
  ],
];

/** Answers that show a record otherwise than it is. */
export const SHOWN = CHANGED.map(
  ([name, model, on, change, ...rules]): Defect => ({
    name,
    rules,
    models: [model],
    shown: (row, at) => (at.model.name === model && on.includes(at.on) ? change(row) : row),
  }),
);

function asTimestamp(row: Row): Row {
  return { ...row, issueDate: Date.parse(String(row.issueDate)) };
}

function withNextId(row: Row): Row {
  return { ...row, id: Number(row.id) + 1 };
}
