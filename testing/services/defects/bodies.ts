import type { Row } from '../records/tables.ts';
import { type At, type Defect, no, type On, SENT, without } from './defect.ts';

const CREATES = ['create.keeps-field', 'operations.create'];
const UPDATES = ['update.changes-field', 'operations.update'];
const KEEPS = ['update.keeps-other-fields'];

type Body = readonly [
  name: string,
  model: string,
  on: On | 'both',
  rules: readonly string[],
  change: (values: Row, at: At) => Row,
];

/** An update without a field sets it. */
const resets =
  (field: string, value: (before: unknown) => unknown) =>
  (values: Row, { before }: At): Row =>
    field in values ? values : { ...values, [field]: value(before?.[field]) };

const CHANGED: readonly Body[] = [
  ['create-loses-comments', 'warehouse', 'create', CREATES, (values) => ({ ...values, comments: null })],
  [
    'update-loses-comments',
    'warehouse',
    'update',
    UPDATES,
    (values) => ('comments' in values ? { ...values, comments: null } : values),
  ],
  [
    'two-fields-swapped',
    'shareTransfer',
    'both',
    SENT,
    (values) =>
      values.seller && values.buyer ? { ...values, seller: values.buyer, buyer: values.seller } : values,
  ],
  [
    'second-mail-overwritten',
    'crmContact',
    'both',
    SENT,
    (values) => (values.email && values.email2 ? { ...values, email2: values.email } : values),
  ],
  ['update-does-nothing', 'brand', 'update', UPDATES, () => ({})],
  [
    'update-ignores-null',
    'warehouse',
    'update',
    ['profile.request.null'],
    (values) => (values.comments === null ? without(values, 'comments') : values),
  ],
  ['update-resets-bool', 'customerTag', 'update', KEEPS, resets('isDefault', no)],
  ['update-resets-text', 'warehouse', 'update', KEEPS, resets('comments', () => null)],
  ['update-resets-number', 'voucherPrice', 'update', KEEPS, resets('minAge', () => 0)],
];

/** Defects in which a write does not store all sent values. */
export const BODIES: readonly Defect[] = [
  ...CHANGED.map(
    ([name, model, on, rules, change]): Defect => ({
      name,
      rules,
      models: [model],
      values: (values, at) =>
        at.model.name === model && (on === 'both' || at.on === on) ? change(values, at) : values,
    }),
  ),
  {
    name: 'refused-update-keeps-rest',
    rules: ['fields.wrong-type-on-update', 'required.on-update', 'values.refused-on-update'],
    models: ['warehouse'],
    refused: ({ before, model, tables }, rest) => {
      if (before && model.name === 'warehouse') tables.change(model.name, Number(before.id), rest);
    },
  },
];
