import type { Row } from '../records/tables.ts';
import { type At, type Defect, type On, type Problem, SENT } from './defect.ts';

const ON = { create: ['create'], update: ['update'], both: ['create', 'update'] } as const;

/** A check that is left out for a field, or for some of its values; `where` is `brand.name`. */
function forgives(
  name: string,
  where: string,
  kind: Problem['kind'],
  on: keyof typeof ON,
  rules: readonly string[],
  isForgiven: (value: unknown) => boolean = () => true,
): Defect {
  return {
    name,
    rules,
    models: where.split('.').slice(0, 1),
    forgives: (found) =>
      `${found.model.name}.${found.field.name}` === where &&
      kind === found.kind &&
      ON[on].some((one) => one === found.on) &&
      isForgiven(found.value),
  };
}

/** A write that is refused although it is valid. */
function refuses(
  name: string,
  model: string,
  rules: readonly string[],
  isRefused: (sent: Row, on: On) => boolean,
): Defect {
  const isIt = (at: At) => at.model.name === model && isRefused(at.sent ?? {}, at.on);
  return { name, rules, models: [model], refuses: isIt };
}

/** Null for a required number is stored as 0. */
function becomes(name: string, where: string, on: 'create' | 'update', rules: readonly string[]): Defect {
  const [model = '', field = ''] = where.split('.');
  return {
    ...forgives(name, where, 'null', on, rules),
    values: (values, at) =>
      at.model.name === model && at.on === on && values[field] === null ? { ...values, [field]: 0 } : values,
  };
}

const MISSING = ['required.on-create', 'required.present'];
const NULL = ['required.null-on-create', 'required.on-update', 'required.present', 'required.on-create'];
const REFUSED = ['values.refused-on-create', 'values.refused-on-update'];
const TYPES = ['fields.wrong-type-on-create', 'fields.wrong-type-on-update', 'fields.type'];

/** A readonly field that the client writes. */
function takes(name: string, where: string, on: 'create' | 'update'): Defect {
  const [model = '', field = ''] = where.split('.');
  const rules = [
    `readonly.on-${on}`,
    'update.keeps-origin',
    'create.distinct',
    'operations.create',
    'operations.update',
  ];
  return {
    name,
    rules,
    models: [model],
    takes: (at, known, when) => at.name === model && known.name === field && when === on,
  };
}

export const CHECKS: readonly Defect[] = [
  forgives('required-text-may-lack', 'brand.name', 'missing', 'create', MISSING),
  forgives('required-link-may-lack', 'voucher.customer', 'missing', 'create', MISSING),
  forgives('required-bool-may-lack', 'customerTag.public', 'missing', 'create', MISSING),
  forgives('required-money-may-lack', 'deposit.balance', 'missing', 'create', MISSING),
  forgives('required-date-may-lack', 'subscriptionCustomer.start', 'missing', 'create', MISSING),
  forgives('required-status-may-lack', 'locker.status', 'missing', 'create', MISSING),
  forgives('required-lines-may-lack', 'stockInvoice.lines', 'missing', 'create', MISSING),
  forgives('value-outside-list', 'locker.status', 'value', 'both', REFUSED),
  forgives('value-outside-list-on-update', 'relationship.status', 'value', 'update', REFUSED.slice(1)),
  forgives('value-between-listed-ones', 'voucherType.kind', 'value', 'create', REFUSED.slice(0, 1)),
  forgives('any-language', 'crmContact.language', 'value', 'both', REFUSED),
  forgives('text-in-int', 'voucherCategory.priority', 'type', 'both', TYPES),
  forgives('text-in-float', 'productSplit.amount', 'type', 'create', TYPES),
  forgives('text-in-money', 'deposit.balance', 'type', 'update', TYPES),
  forgives('text-in-date', 'lockerCustomer.start', 'type', 'both', TYPES),
  forgives('impossible-day-stored', 'lockerCustomer.start', 'type', 'both', TYPES, (value) =>
    /^\d{4}-\d\d-\d\d$/.test(String(value)),
  ),
  forgives(
    'texts-in-list-of-ids',
    'consumerHomeItem.tags',
    'type',
    'both',
    TYPES,
    (value) => Array.isArray(value) && value.every((item) => typeof item === 'string' && /^\d+$/.test(item)),
  ),
  forgives('text-in-datetime', 'voucherTransaction.useDate', 'type', 'create', TYPES),
  forgives('text-in-link', 'share.customer', 'type', 'create', TYPES),
  forgives('object-in-text', 'metricData.metric', 'type', 'create', TYPES),
  takes('client-sets-created', 'brand.created', 'create'),
  takes('client-sets-author', 'brand.createUser', 'create'),
  takes('client-creates-as-deleted', 'customerTag.deleted', 'create'),
  takes('client-moves-created', 'warehouse.created', 'update'),
  takes('client-sets-last-author', 'warehouse.updateUser', 'update'),
  takes('update-deletes', 'customerGroup.deleted', 'update'),
  takes('client-sets-total', 'stockOrder.total', 'create'),
  takes('client-sets-total-later', 'stockOrder.received', 'update'),
  takes('client-sets-type', 'stockTransaction.type', 'create'),
  takes('client-sets-number', 'stockInvoice.number', 'update'),
  forgives('null-for-required-text', 'metricData.result', 'null', 'both', NULL),
  refuses(
    'listed-value-refused',
    'bookingDrawItem',
    ['values.accepted', 'operations.create', 'operations.create-required', 'operations.update'],
    ({ status }) => memberOf(status) === '1',
  ),
  refuses('listed-zero-refused', 'crmContact', ['values.accepted'], ({ gender }) => memberOf(gender) === '0'),
  {
    name: 'optional-field-breaks-create',
    rules: ['operations.create', 'create.keeps-field'],
    models: ['supplier'],
    breaks: ({ model, on, sent }) =>
      model.name === 'supplier' && on === 'create' && typeof sent?.web === 'string',
  },
  {
    name: 'emoji-breaks-create',
    rules: ['operations.create'],
    models: ['lockerType'],
    breaks: ({ model, on, sent }) =>
      model.name === 'lockerType' && on === 'create' && /\p{Extended_Pictographic}/u.test(String(sent?.name)),
  },
  refuses(
    'optional-field-refused',
    'customerGroup',
    ['operations.create', 'create.keeps-field', 'operations.update'],
    ({ area }) => typeof area === 'number',
  ),
  refuses(
    'required-alone-refused',
    'warehouse',
    ['operations.create-required'],
    ({ comments }, on) => on === 'create' && !comments,
  ),
  refuses(
    'update-of-one-field-refused',
    'voucherCategory',
    ['operations.update', 'update.changes-field'],
    (_, on) => on === 'update',
  ),
  refuses(
    'false-refused',
    'multipack',
    [...SENT, 'operations.create-required'],
    ({ online }) => online === false || online === 0,
  ),
];

/** Null that is stored as 0, and an update that rejects one value. */
export const WRITES: readonly Defect[] = [
  becomes('null-in-update-becomes-zero', 'shareTransfer.price', 'update', ['required.on-update']),
  becomes('null-in-create-becomes-zero', 'shareTransfer.price', 'create', ['required.null-on-create']),
  refuses(
    'update-to-listed-value-refused',
    'stockOrder',
    ['profile.transitions'],
    ({ status }, on) => on === 'update' && memberOf(status) === '2',
  ),
];

function memberOf(value: unknown): string {
  const bare = typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
  return String(bare);
}
