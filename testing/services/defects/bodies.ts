import { type Defect, no, SENT } from './defect.ts';

/** Defects in which a write does not store all sent values. */
export const BODIES: readonly Defect[] = [
  {
    name: 'create-loses-comments',
    rules: ['create.keeps-field', 'operations.create'],
    models: ['warehouse'],
    values: (values, { model, on }) =>
      model.name === 'warehouse' && on === 'create' ? { ...values, comments: null } : values,
  },
  {
    name: 'update-loses-comments',
    rules: ['update.changes-field', 'operations.update'],
    models: ['warehouse'],
    values: (values, { model, on }) =>
      model.name === 'warehouse' && on === 'update' && 'comments' in values
        ? { ...values, comments: null }
        : values,
  },
  {
    name: 'two-fields-swapped',
    rules: SENT,
    models: ['shareTransfer'],
    values: (values, { model }) =>
      model.name === 'shareTransfer' && values.seller && values.buyer
        ? { ...values, seller: values.buyer, buyer: values.seller }
        : values,
  },
  {
    name: 'second-mail-overwritten',
    rules: SENT,
    models: ['crmContact'],
    values: (values, { model }) =>
      model.name === 'crmContact' && values.email && values.email2
        ? { ...values, email2: values.email }
        : values,
  },
  {
    name: 'refused-update-keeps-rest',
    rules: ['fields.wrong-type-on-update', 'required.on-update', 'values.refused-on-update'],
    models: ['warehouse'],
    keepsRest: 'warehouse',
  },
  {
    name: 'update-does-nothing',
    rules: ['update.changes-field', 'operations.update'],
    models: ['brand'],
    values: (values, { model, on }) => (model.name === 'brand' && on === 'update' ? {} : values),
  },
  {
    name: 'update-ignores-null',
    rules: ['update.changes-field'],
    models: ['warehouse'],
    values: (values, { model, on }) => {
      if (model.name !== 'warehouse' || on !== 'update' || values.comments !== null) return values;
      const { comments, ...rest } = values;
      return rest;
    },
  },
  {
    name: 'update-resets-bool',
    rules: ['update.keeps-other-fields'],
    models: ['customerTag'],
    values: (values, { before, model, on }) =>
      model.name === 'customerTag' && on === 'update' && !('isDefault' in values)
        ? { ...values, isDefault: no(before?.isDefault) }
        : values,
  },
  {
    name: 'update-resets-text',
    rules: ['update.keeps-other-fields'],
    models: ['warehouse'],
    values: (values, { model, on }) =>
      model.name === 'warehouse' && on === 'update' && !('comments' in values)
        ? { ...values, comments: null }
        : values,
  },
  {
    name: 'update-resets-number',
    rules: ['update.keeps-other-fields'],
    models: ['voucherPrice'],
    values: (values, { model, on }) =>
      model.name === 'voucherPrice' && on === 'update' && !('minAge' in values)
        ? { ...values, minAge: 0 }
        : values,
  },
];
