import type { Faker } from '@faker-js/faker';
import { isOfKit, type Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { References } from '../../spec/references.ts';

/** Names of records in a sports club, by model. */
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  brand: ['Volea', 'Ñandú Sport', 'Fuente Clara', 'Puerto Rojo', 'Siete Mares', 'Alba', 'Cumbre', 'Rayo'],
  warehouse: ['Almacén', 'Tienda', 'Bar', 'Taller', 'Sótano', 'Recepción'],
  customerTag: ['Abonado', 'Familia', 'Infantil', 'Pádel', 'Natación', 'Empresa', 'Jubilado', 'Estudiante'],
  customerGroup: ['Escuela de tenis', 'Liga de pádel', 'Natación infantil', 'Yoga de mañana', 'Veteranos'],
  locker: ['Taquilla'],
  lockerType: ['Taquilla pequeña', 'Taquilla grande', 'Taquilla anual'],
  subscription: ['Cuota familiar', 'Cuota individual', 'Cuota de mañana', 'Abono anual', 'Abono joven'],
  voucherType: ['Bono de 10 usos', 'Bono de 20 usos', 'Monedero', 'Bono matinal', 'Bono de piscina'],
  voucherCategory: ['Bonos', 'Monederos', 'Regalos', 'Escuela'],
};

/** Texts of comments. */
export const SENTENCES = [
  'Prefiere que se le llame por la tarde.',
  'Revisado con el cliente en recepción.',
  'Pendiente de confirmar con el responsable.',
  'Se entregó en mano.',
  'Válido también los festivos.',
  'Sin cambios desde la última visita.',
];

/** A record in the making. */
export type Draft = {
  readonly record: Record<string, unknown>;
  readonly model: Model;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly faker: Faker;
  /** Where the images are. */
  readonly origin: string;
  /** The record of an id; only those that were made here may be changed. */
  find(model: string, id: unknown): Record<string, unknown>;
  /** The id of the record before another, or else of any other; undefined where there is none. */
  neighbor(model: string, id: number): number | undefined;
  /** Whether records of a model are made here. */
  isMade(model: string): boolean;
  /** Whether this is asked for the first time. */
  once(key: string): boolean;
};

const DAY = 86_400_000;
/** How often an optional field has a value. */
const SET = 0.8;

/**
 * A value that fits a field by its name in the API of the kit, or else by its type; null where the field stays unset.
 */
export function drawValue(field: Field, draft: Draft, references: References): unknown {
  const { faker } = draft;
  if (!field.required && faker.number.float() > SET) return null;
  const named = isOfKit(draft.model) ? byName(field.name, draft) : undefined;
  if (named !== undefined && fits(field, named))
    return field.type === 'datetime' ? `${named}T23:59:59Z` : named;
  const reference = references.get(field.key);
  // Models outside the catalogue have IDs that the demo does not use.
  if (reference !== undefined && field.type === 'int') return faker.number.int({ min: 1001, max: 1040 });
  return byType(field, draft);
}

function fits({ type }: Field, value: unknown): boolean {
  if (typeof value === 'string')
    return !['int', 'float', 'currency', 'percent', 'select', 'fkModel'].includes(type);
  return ['int', 'float', 'currency', 'percent'].includes(type);
}

function byName(name: string, { created, faker, model, record }: Draft): string | number | undefined {
  const day = (from: number, days: number) => new Date(from + days * DAY).toISOString().slice(0, 10);
  const number = String(record.id).padStart(5, '0');
  switch (name) {
    case 'name':
      return NAMES[model.name]
        ? `${faker.helpers.arrayElement(NAMES[model.name] ?? [])} ${record.id}`
        : faker.company.name();
    case 'phone':
    case 'phone2':
      return `+34 000 ${faker.string.numeric(3)} ${faker.string.numeric(3)}`;
    case 'email2':
    case 'invoicesEmail':
      return `facturas.${model.name.toLowerCase()}${record.id}@example.test`;
    case 'taxNumber':
    case 'nationalId':
      return `${number.padStart(8, '0')}${'TRWAGMYFPDXBNJZSQVHLCKE'[Number(record.id) % 23]}`;
    case 'memberCode':
    case 'centerCard':
      return `S-${number}`;
    case 'sku':
      return `SKU-${faker.string.numeric(5)}`;
    case 'number':
    case 'orderNumber':
    case 'deliveryNumber':
    case 'stockInvoiceNumber':
      return `2025-${number}`;
    case 'street':
      return `Calle ${faker.person.lastName()}, ${faker.number.int({ min: 1, max: 120 })}`;
    case 'street2':
      return `${faker.number.int({ min: 1, max: 9 })}.º ${faker.helpers.arrayElement(['A', 'B', 'C', 'D'])}`;
    case 'city':
    case 'district':
      return faker.location.city();
    case 'province':
    case 'canton':
      return faker.location.state();
    case 'zipCode':
      return faker.string.numeric({ length: 5 }).replace(/^\d{2}/, '00');
    case 'account':
      return `ES00 0000 0000 0000 0000 ${faker.string.numeric(4)}`;
    case 'businessName':
    case 'supplierName':
      return `${faker.person.lastName()} Distribuciones`;
    case 'currency':
      return 'EUR';
    case 'familyName':
    case 'subfamilyName':
      return faker.helpers.arrayElement(['Raquetas', 'Pelotas', 'Bebidas', 'Ropa', 'Calzado', 'Limpieza']);
    case 'brandName':
      return faker.helpers.arrayElement(NAMES.brand ?? []);
    case 'title':
    case 'serie':
      return faker.helpers.arrayElement(['A', 'B', 'C']);
    case 'description':
    case 'shortDescription':
    case 'alert':
      return faker.helpers.arrayElement(SENTENCES);
    case 'language':
      return 'es';
    case 'region':
    case 'country':
    case 'nationality':
    case 'paymentMethod':
    case 'company':
      return faker.number.int({ min: 1, max: 2 });
    case 'birthdate':
      return day(created, -faker.number.int({ min: 18 * 366, max: 80 * 365 }));
    case 'start':
    case 'startDate':
    case 'date':
    case 'issueDate':
      return day(created, 0);
    case 'estimatedDeliveryDate':
      return day(created, 7);
    case 'deliveryDate':
      return day(created, faker.number.int({ min: 5, max: 12 }));
    case 'end':
    case 'endDate':
      return day(created, faker.number.int({ min: 30, max: 365 }));
    case 'startTime':
      return `0${faker.number.int({ min: 7, max: 9 })}:00:00`;
    case 'endTime':
      return `${faker.number.int({ min: 14, max: 21 })}:00:00`;
    default:
      return undefined;
  }
}

function byType(field: Field, { created, faker, model, origin, record }: Draft): unknown {
  const text = (ofKit: () => string) => (isOfKit(model) ? ofKit() : `${field.name} ${record.id}`);
  switch (field.type) {
    case 'bool':
      return faker.number.float() < 0.2;
    case 'int':
      return faker.number.int({ min: 1, max: 20 });
    case 'float':
      return faker.number.int({ min: 1, max: 40 });
    case 'percent':
      return faker.helpers.arrayElement([0, 5, 10, 21]);
    case 'currency':
      return faker.number.int({ min: 100, max: 20_000 }) / 100;
    case 'select':
      return field.choices ? faker.helpers.arrayElement(field.choices).value : text(() => 'es');
    case 'email':
      return `${model.name.toLowerCase()}${record.id}@example.test`;
    case 'url':
      return `https://example.test/${model.name}/${record.id}`;
    case 'image':
      return `${origin}/__mock/images/${model.name.toLowerCase()}-${record.id}.svg`;
    case 'datetime':
      return new Date(created).toISOString().replace('.000', '');
    case 'date':
      return new Date(created).toISOString().slice(0, 10);
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
    case 'string':
      return text(() => faker.string.alphanumeric({ length: 6, casing: 'upper' }));
    default:
      return text(() => faker.helpers.arrayElement(SENTENCES));
  }
}
