import type { Row } from '../records/tables.ts';
import { type Defect, LISTED, type On, without } from './defect.ts';

const ALL = ['create', 'retrieve', 'list', 'update'] as const;

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

/** Answers that show a record otherwise than it is. */
export const SHOWN: readonly Defect[] = [
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
