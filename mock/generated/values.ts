import { isOfKit, type Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { References } from '../../spec/references.ts';
import { count, DAY, type Draft, dayOf } from './draft.ts';
import { hasNames, nameOf } from './names.ts';
import { STREETS } from './places.ts';
import { ADDONS, SERVICES } from './products.ts';
import { checkLetter, imageName, nickname, slug, taxNumber } from './subjects.ts';
import { drawText } from './texts.ts';

/** How often an optional field has a value, by its name, its type, or otherwise. */
const SET: Readonly<Record<string, number>> = {
  alert: 0.15,
  alias: 0.4,
  beneficiary: 0.1,
  country: 1,
  description: 0.6,
  email2: 0.3,
  end: 0.4,
  invoiceComments: 0.2,
  invoiceTo: 0.08,
  language: 0.95,
  lastName: 1,
  phone2: 0.3,
  street2: 0.5,
  supplier: 1,
  temporarySubscription: 0.2,
  text: 0.5,
  voucherPrice: 0.3,
};
const SET_OTHERWISE = 0.8;

/** How often a boolean is true, by the name of its field. */
const TRUE: Readonly<Record<string, number>> = {
  accumulative: 0.4,
  allowLogin: 0.3,
  allowPayVoucher: 0.4,
  apportionment: 0.5,
  autoCollect: 0.3,
  directDebit: 0.6,
  disabled: 0.04,
  inDeposit: 0.06,
  isDefault: 0,
  main: 0.08,
  online: 0.6,
  onCredit: 0.1,
  public: 0.7,
  refunded: 0,
  sendInvoices: 0.4,
  taxExempt: 0.03,
};
const TRUE_OTHERWISE = 0.1;

/** The IDs of things outside the catalogue: the demo has the first ones, except where each record has its own. */
const OUTSIDE: Readonly<Record<string, readonly [from: number, to: number] | 'own'>> = {
  address: 'own',
  area: [1, 6],
  'article tag': [1, 12],
  company: [1, 1],
  'exercise tag': [1, 12],
  payment: 'own',
  'payment conditions': [1, 3],
  'payment method': [1, 4],
  'resource type': [1, 6],
  resource: [1, 12],
  sale: 'own',
  'subscription task type': [1, 3],
};

/** The products that fields can have. Others are derived in agree.ts. */
const PRODUCTS: Readonly<Record<string, (draft: Draft) => number>> = {
  'voucherType.product': ({ record }) => 30_000 + Number(record.id),
  'subscription.product': ({ record }) => 20_000 + Number(record.id),
  'subscriptionAddon.product': ({ faker }) => faker.helpers.arrayElement(ADDONS)[0],
  'voucherProduct.product': ({ faker }) => faker.helpers.arrayElement(SERVICES),
  'productSplit.parentProduct': ({ record }) => 5000 + Number(record.id),
  'productSplit.product': ({ faker }) => faker.helpers.arrayElement(SERVICES),
};

/** How often a field has a value. A record without required fields would be empty, so it has its links. */
export function isSet(field: Field, { faker, model }: Draft, isLink: boolean): boolean {
  if (field.required) return true;
  if (isLink && isOfKit(model) && !model.fields.some(({ common, required }) => required && !common))
    return true;
  if (!isOfKit(model)) return faker.number.float() < SET_OTHERWISE;
  return faker.number.float() < (SET[field.name] ?? SET[field.type] ?? SET_OTHERWISE);
}

/** A value that fits a field by its name in the API of the kit, or else by its type; null where the field stays unset. */
export function drawValue(field: Field, draft: Draft, references: References): unknown {
  const { faker, model } = draft;
  const reference = references.get(field.key);
  if (!isSet(field, draft, reference !== undefined)) return null;
  if (isOfKit(model)) {
    const named = byKey(field, draft);
    if (named === null || (named !== undefined && fits(field, named))) return named;
  }
  if (reference !== undefined && field.type === 'int')
    return 'outside' in reference ? outside(reference.outside, draft) : faker.number.int({ min: 1, max: 40 });
  if (reference !== undefined && 'outside' in reference && field.type === 'manyToMany') {
    const [one, other] = [outside(reference.outside, draft), outside(reference.outside, draft)];
    return [...new Set([one, other])].toSorted((first, second) => first - second);
  }
  return byType(field, draft);
}

function outside(thing: string, draft: Draft): number {
  const ids = OUTSIDE[thing] ?? [1001, 1040];
  // The demo uses the first thousands.
  if (ids === 'own') return 10_000 + count(draft.counters, `outside ${thing}`);
  return draft.faker.number.int({ min: ids[0], max: ids[1] });
}

function fits({ choices, type }: Field, value: unknown): boolean {
  if (type === 'select') return !choices || choices.some((choice) => choice.value === value);
  if (typeof value === 'string') return !['int', 'float', 'currency', 'percent', 'fkModel'].includes(type);
  return ['int', 'float', 'currency', 'percent'].includes(type);
}

function byKey(field: Field, draft: Draft): string | number | null | undefined {
  const product = PRODUCTS[field.key]?.(draft);
  if (product !== undefined) return product;
  return drawText(field.key, draft.faker) ?? byTime(field, draft) ?? byName(field, draft);
}

/** Dates and times by the name of the field. */
function byTime({ name, type }: Field, { created, faker }: Draft): string | number | undefined {
  switch (name) {
    case 'start':
      return type === 'datetime' ? new Date(created).toISOString().replace('.000', '') : dayOf(created);
    case 'startDate':
    case 'date':
    case 'issueDate':
      return dayOf(created);
    case 'estimatedDeliveryDate':
      return dayOf(created + faker.number.int({ min: 4, max: 9 }) * DAY);
    case 'deliveryDate':
      return dayOf(created + faker.number.int({ min: 3, max: 12 }) * DAY);
    case 'end':
    case 'endDate': {
      const day = dayOf(created + faker.number.int({ min: 30, max: 365 }) * DAY);
      return type === 'datetime' ? `${day}T23:59:59Z` : day;
    }
    case 'startTime':
      return `0${faker.number.int({ min: 7, max: 9 })}:00:00`;
    case 'endTime':
      return `${faker.number.int({ min: 14, max: 21 })}:00:00`;
    case 'minAge':
      return faker.helpers.arrayElement([4, 12, 16, 18]);
    case 'maxAge':
      return faker.helpers.arrayElement([25, 30, 65, 99]);
    default:
      return undefined;
  }
}

/** Values by the name of the field. Null for fields that the subject of the record does not have. */
function byName({ name }: Field, draft: Draft): string | number | null | undefined {
  const { created, faker, model, record } = draft;
  const id = Number(record.id);
  const padded = String(id).padStart(4, '0');
  const either = (of: 'person' | 'company', value: () => string | number) =>
    draft.subject().kind === of ? value() : null;
  const place = () => draft.subject().place;
  switch (name) {
    case 'name':
      return hasNames(model.name) && !hasSubject(model) ? nameOf(model.name, id) : draft.subject().name;
    case 'firstName':
      return draft.subject().first;
    case 'lastName':
      return either('person', () => draft.subject().last);
    case 'alias':
      return either('person', () => nickname(draft.subject()));
    case 'gender':
      return either('person', () => (draft.subject().sex === 'male' ? 0 : 1));
    case 'birthdate':
      return either('person', () =>
        dayOf(created - faker.number.int({ min: 18 * 366, max: 80 * 365 }) * DAY),
      );
    case 'businessName':
      return either('company', () => draft.subject().name);
    case 'onlineName':
      return `${slug(draft.subject().name, '.')}.${id}`;
    case 'email':
      return addressOf(draft);
    case 'email2':
      return `${slug(draft.subject().name, '')}${id}@example.com`;
    case 'invoicesEmail':
      return draft.subject().kind === 'company'
        ? `facturas@${siteOf(draft.subject())}.example.com`
        : `facturas.${slug(draft.subject().name, '.')}.${id}@example.test`;
    case 'web':
      return `https://${siteOf(draft.subject())}.example.com`;
    case 'phone':
    case 'phone2':
      return `${place().prefix} 000 ${faker.string.numeric(3)} ${faker.string.numeric(3)}`;
    case 'taxNumber':
      return place().country === 1
        ? taxNumber(draft.subject().kind, id)
        : String(id)
            .padStart(8, '0')
            .replace(/^(.{4})/, '1-$1-');
    case 'nationalId':
      return either('person', () =>
        place().country === 1 ? taxNumber('person', id) : `1${String(id).padStart(8, '0')}`,
      );
    case 'verificationDigit':
      return either('person', () => (place().country === 1 ? checkLetter(id) : String(id % 10)));
    case 'locationCode':
      return place().code ?? draft.subject().zip;
    case 'memberCode':
      return `S-${padded}`;
    case 'centerCard':
      return `C-${cardOf(id)}`;
    case 'street':
      return `${faker.helpers.arrayElement(STREETS)}, ${faker.number.int({ min: 1, max: 120 })}`;
    case 'street2':
      return `${faker.number.int({ min: 1, max: 9 })}.º ${faker.helpers.arrayElement(['A', 'B', 'C', 'D'])}`;
    case 'city':
      return place().city;
    case 'province':
      return place().province;
    case 'canton':
      return place().canton ?? null;
    case 'district':
      return place().district ?? null;
    case 'zipCode':
      return draft.subject().zip || null;
    case 'region':
      return draft.subject().zip === '' ? null : Number(draft.subject().zip.slice(0, 2));
    case 'country':
      return place().country;
    case 'nationality':
      return either('person', () =>
        faker.number.float() < 0.92 ? place().country : faker.number.int({ min: 2, max: 6 }),
      );
    case 'account':
      return `ES00 0000 0000 0000 ${String(id)
        .padStart(8, '0')
        .replace(/(?<=^.{4})/, ' ')}`;
    case 'currency':
      return 'EUR';
    case 'language':
      return faker.number.float() < 0.9 ? 'es' : 'en';
    case 'description':
    case 'comments':
      return null;
    case 'successUrl':
      return `https://example.test/bonos/${id}/gracias`;
    case 'successUrlPos':
      return `https://example.test/tpv/bonos/${id}/gracias`;
    case 'priority':
      return faker.number.int({ min: 1, max: 5 });
    case 'balance':
      return faker.helpers.arrayElement([5, 10, 20, 30, 50, 100, 150]);
    case 'discount':
    case 'globalDiscount':
      return faker.helpers.arrayElement([0, 0, 0, 2, 5, 10]);
    case 'percentage':
      return faker.helpers.arrayElement([-5, -10, -15, -20]);
    case 'ratio':
      return faker.helpers.arrayElement([0.5, 1, 1, 1.5, 2]);
    default:
      return undefined;
  }
}

/** Returns the name of the site of a company. Companies that differ only by their legal form have different ones. */
function siteOf({ name }: { readonly name: string }): string {
  return slug(name.replaceAll('.', ''), '-');
}

/**
 * Returns the number of the card of a customer. The step and the 900,000 numbers of a length have no common divisor, so
 * each is used once.
 */
function cardOf(id: number): number {
  const length = Math.floor(id / 900_000);
  return length * 1_000_000 + 100_000 + ((id * 7919) % 900_000);
}

function addressOf(draft: Draft): string {
  const subject = draft.subject();
  if (subject.kind === 'company') return `hola@${siteOf(subject)}.example.com`;
  return `${slug(subject.name, '.')}.${draft.record.id}@example.test`;
}

function hasSubject({ fields }: Model): boolean {
  return fields.some(({ name }) => /^(birthdate|gender|firstName)$/.test(name));
}

function byType(field: Field, { created, faker, model, origin, record, subject }: Draft): unknown {
  const kit = isOfKit(model);
  const text = `${field.name} ${record.id}`;
  switch (field.type) {
    case 'bool':
      return faker.number.float() < (kit ? (TRUE[field.name] ?? TRUE_OTHERWISE) : 0.2);
    case 'int':
      return faker.number.int({ min: 1, max: 20 });
    case 'float':
      return faker.number.int({ min: 1, max: 40 });
    case 'percent':
      return faker.helpers.arrayElement([0, 5, 10, 21]);
    case 'currency':
      return faker.number.int({ min: 100, max: 20_000 }) / 100;
    case 'select':
      return field.choices ? faker.helpers.arrayElement(field.choices).value : kit ? 'es' : text;
    case 'email':
      return `${model.name.toLowerCase()}${record.id}@example.test`;
    case 'url':
      return `https://example.test/${model.name}/${record.id}`;
    case 'image':
      return `${origin}/__mock/images/${kit ? imageOf(record, model, subject) : `${model.name.toLowerCase()}-${record.id}`}.svg`;
    case 'datetime':
      return new Date(created).toISOString().replace('.000', '');
    case 'date':
      return dayOf(created);
    case 'time':
      return '10:00:00';
    case 'duration':
      return faker.helpers.arrayElement(['P30D', 'P90D', 'P1Y']);
    case 'daysOfWeek':
      return faker.helpers.arrayElement([
        [1, 2, 3, 4, 5],
        [6, 7],
        [1, 3, 5],
      ]);
    case 'manyToMany':
      return [faker.number.int({ min: 1001, max: 1040 })];
    // A model without its id says nothing, nor does an id without its model.
    case 'fkModel':
      return null;
    default:
      return text;
  }
}

/** Images show the initials of the person, or of the name of the thing. */
function imageOf(record: Readonly<Record<string, unknown>>, model: Model, subject: Draft['subject']): string {
  const id = Number(record.id);
  if (hasSubject(model)) return imageName(subject(), id);
  return imageName({ first: String(record.name ?? model.name), last: '' }, id);
}
