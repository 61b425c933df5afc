import { type Field, MODELS, type Model } from './source.ts';

/** The model that a field name suggests. The source does not state links. */
const BY_NAME: Readonly<Record<string, string>> = {
  customer1: 'customer',
  customer2: 'customer',
  customer3: 'customer',
  beneficiary: 'customer',
  seller: 'customer',
  buyer: 'customer',
  invoiceTo: 'customer',
  tag: 'customerTag',
  tagFilter: 'customerTag',
  beneficiaryTag: 'customerTag',
  temporarySubscription: 'subscription',
  pack: 'multipack',
  group: 'customerGroup',
};
const BY_FIELD: Readonly<Record<string, string>> = {
  'voucher.type': 'voucherType',
  'voucherProduct.type': 'voucherType',
  'voucherPrice.type': 'voucherType',
  'locker.type': 'lockerType',
  'subscriptionCustomer.type': 'subscription',
  'multipackItem.type': 'multipackResourceType',
  'customer.tags': 'customerTag',
  'consumerHomeItem.tags': 'customerTag',
};
/** Things without a model here: `stockDelivery.product`, `deposit.sale`. */
const LINKING = ['int', 'manyToMany'];

/** The model whose ids a field holds. */
export function linkOf(model: Model, { name, type }: Field): string | undefined {
  if (!LINKING.includes(type) || name === 'id') return undefined;
  const named = MODELS.has(name) && name !== model.name ? name : undefined;
  return BY_FIELD[`${model.name}.${name}`] ?? BY_NAME[name] ?? named;
}

/** The field of a line that names the record it belongs to. */
export function parentField(parent: string, line: Model): Field | undefined {
  return line.fields.find(({ name }) => name === parent);
}

/** Models so that each comes after those it refers to, where that can be. */
export function inOrder(): Model[] {
  const sorted: Model[] = [];
  const seen = new Set<string>();
  const visit = (model: Model): void => {
    if (seen.has(model.name)) return;
    seen.add(model.name);
    for (const field of model.fields) {
      const to = MODELS.get(linkOf(model, field) ?? '');
      if (to) visit(to);
    }
    sorted.push(model);
  };
  for (const model of MODELS.values()) visit(model);
  return sorted;
}
