import { isOfKit, type Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import type { References } from '../../spec/references.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import {
  checkLetter,
  drawText,
  hasNames,
  imageName,
  isOfPeople,
  nameOf,
  SPANISH,
  type Subject,
  slug,
  taxNumber,
} from './people.ts';
import type { Random } from './random.ts';

export const DAY = 86_400_000;

/** Returns the day of a time in milliseconds since 1970, as in a date field. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

export type GeneratedDraft = {
  readonly record: Record<string, unknown>;
  readonly id: number;
  readonly model: Model;
  /** The position among the generated records of the model, from 0. */
  readonly index: number;
  /** The time of the record, in milliseconds since 1970. */
  readonly created: number;
  readonly random: Random;
  readonly origin: string;
  subject(): Subject;
  /** Returns a record by its ID; an empty one if there is none. */
  find(model: string, id: unknown): Readonly<Record<string, unknown>>;
  /** Returns the ID of a random earlier record; undefined if there is none. */
  draw(model: string): number | undefined;
  /** Returns the number of records of a model that links can lead to. */
  total(model: string): number;
  /** Returns the ID of one of all records, the same for the same number; undefined if there is none. */
  choose(model: string, number: number): number | undefined;
  /** Returns the IDs of the lines that the record comes with, or that come with its parent. */
  lines(model: string): readonly number[];
};

/** Returns a value for a field by its name in the API of the kit, or else by its type; null if the field stays unset. */
export function drawValue(field: Field, draft: GeneratedDraft, references: References): unknown {
  const { model, random } = draft;
  if (!isSet(field, draft)) return null;
  const reference = references.get(field.key);
  const outside = reference && 'outside' in reference ? reference.outside : undefined;
  if (isOfKit(model)) {
    const values = SPANISH.values[field.name];
    const named =
      drawText(field.key, random) ?? (values ? random.pick(values) : NAMED[field.name]?.(draft, field));
    if (named === null || (named !== undefined && fits(field, named))) return named;
  }
  if (outside !== undefined && field.type === 'int') return outsideId(outside, draft);
  if (outside !== undefined && field.type === 'manyToMany')
    return sorted([outsideId(outside, draft), outsideId(outside, draft)]);
  return byType(field, draft);
}

/** Whether a field has a value. A record without required fields would be empty, so it has its links. */
export function isSet(field: Field, { model, random }: GeneratedDraft, isLink = false): boolean {
  if (field.required || (isLink && model.fields.every(({ common, required }) => common || !required)))
    return true;
  return random.chance((isOfKit(model) && (SPANISH.isSet[field.name] ?? SPANISH.isSet[field.type])) || 0.8);
}

export function sorted(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((one, other) => one - other);
}

/** Returns the ID of a thing outside the catalogue. Each record has its own address, sale, and payment. */
function outsideId(thing: string, { id, random }: GeneratedDraft): number {
  if (/^(address|payment|sale)$/.test(thing)) return 10_000 + id;
  return random.int(1, thing === 'company' ? 1 : / (conditions|method|type)$/.test(thing) ? 3 : 6);
}

function fits({ choices, type }: Field, value: unknown): boolean {
  if (type === 'select') return !choices || choices.some((choice) => choice.value === value);
  return ['int', 'float', 'currency', 'percent'].includes(type) === (typeof value === 'number');
}

/** Returns a time in milliseconds since 1970, as in a datetime field. */
export const timeOf = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

type Named = string | number | null | undefined;

const today = ({ created }: GeneratedDraft, { type }: Field): string =>
  type === 'datetime' ? timeOf(created) : dayOf(created);

const later =
  (least: number, most: number) =>
  ({ created, random }: GeneratedDraft, { type }: Field): string => {
    const day = dayOf(created + random.int(least, most) * DAY);
    return type === 'datetime' ? `${day}T23:59:59Z` : day;
  };

const phone = ({ random, subject }: GeneratedDraft): string =>
  `${subject().place.prefix} 000 ${random.digits(3)} ${random.digits(3)}`;

const ofPerson =
  (value: (subject: Subject, draft: GeneratedDraft) => Named) =>
  (draft: GeneratedDraft): Named =>
    draft.subject().isCompany ? null : value(draft.subject(), draft);

const inSpain = ({ place }: Subject): boolean => place.country === 1;

const named = <Value>(names: string, value: Value) =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]));

/** The values of fields by name; null if the subject of the record has none. */
const NAMED: Readonly<Record<string, (draft: GeneratedDraft, field: Field) => Named>> = {
  ...named('start startDate date issueDate', today),
  ...named('estimatedDeliveryDate deliveryDate', later(3, 12)),
  ...named('end endDate', later(30, 365)),
  startTime: ({ random }) => `0${random.int(7, 9)}:00:00`,
  endTime: ({ random }) => `${random.int(14, 21)}:00:00`,
  name: ({ id, model, subject }) => (hasNames(model.name) ? nameOf(model.name, id) : subject().name),
  firstName: ({ subject }) => subject().first,
  lastName: ofPerson(({ last }) => last),
  alias: ofPerson(({ first, last }) => `${first} ${last[0]}.`),
  gender: ofPerson(({ sex }) => (sex === 'male' ? 0 : 1)),
  birthdate: ofPerson((_, { created, random }) => dayOf(created - random.int(18 * 366, 80 * 365) * DAY)),
  businessName: ({ subject }) => (subject().isCompany ? subject().name : null),
  onlineName: ({ id, subject }) => `${slug(subject().name, '.')}.${id}`,
  email: ({ id, subject }) =>
    subject().isCompany
      ? `hola@${siteOf(subject())}.example.com`
      : `${slug(subject().name, '.')}.${id}@example.com`,
  email2: ({ id, subject }) => `${slug(subject().name, '')}${id}@example.com`,
  invoicesEmail: ({ id, subject }) => `facturas.${slug(subject().name, '.')}.${id}@example.com`,
  web: ({ subject }) => `https://${siteOf(subject())}.example.com`,
  phone,
  phone2: phone,
  taxNumber: ({ id, subject }) =>
    inSpain(subject()) ? taxNumber(subject().isCompany, id) : `1-${String(id).padStart(8, '0')}`,
  nationalId: ofPerson((subject, { id }) =>
    inSpain(subject) ? taxNumber(false, id) : `1${String(id).padStart(8, '0')}`,
  ),
  verificationDigit: ofPerson((subject, { id }) => (inSpain(subject) ? checkLetter(id) : String(id % 10))),
  locationCode: ({ subject }) => subject().place.code ?? subject().zip,
  memberCode: ({ id }) => `S-${String(id).padStart(4, '0')}`,
  // The step and the 9,000,000 numbers have no common divisor, so that each number is used once.
  centerCard: ({ id }) => `C-${1_000_000 + ((id * 7919) % 9_000_000)}`,
  street: ({ random }) => `${random.pick(SPANISH.streets)}, ${random.int(1, 120)}`,
  street2: ({ random }) => `${random.int(1, 9)}.º ${random.pick(['A', 'B', 'C', 'D'])}`,
  city: ({ subject }) => subject().place.city,
  province: ({ subject }) => subject().place.province,
  canton: ({ subject }) => subject().place.canton ?? null,
  district: ({ subject }) => subject().place.district ?? null,
  zipCode: ({ subject }) => subject().zip || null,
  region: ({ subject }) => (subject().zip === '' ? null : Number(subject().zip.slice(0, 2))),
  country: ({ subject }) => subject().place.country,
  nationality: ofPerson(({ place }, { random }) => (random.chance(0.92) ? place.country : random.int(2, 6))),
  account: ({ id }) => `ES00 0000 0000 0000 ${String(id).padStart(8, '0').replace(/^.{4}/, '$& ')}`,
  comments: () => null,
  description: () => null,
  successUrl: ({ id }) => `https://example.test/bonos/${id}/gracias`,
  successUrlPos: ({ id }) => `https://example.test/tpv/bonos/${id}/gracias`,
  // These products are services.
  product: ({ id, model, random }) =>
    /Product|Addon/.test(model.name) ? random.int(4001, 4008) : 30_000 + id,
};

/** Returns the name of the site of a company. Companies that differ only by their legal form have different ones. */
const siteOf = ({ name }: Subject): string => slug(name.replaceAll('.', ''), '-');

function byType(field: Field, draft: GeneratedDraft): unknown {
  const { created, id, model, origin, random } = draft;
  const kit = isOfKit(model);
  switch (field.type) {
    case 'bool':
      return random.chance(kit ? (SPANISH.isTrue[field.name] ?? 0.1) : 0.2);
    case 'int':
    case 'float':
      return random.int(1, 40);
    case 'image':
      return `${origin}/__mock/images/${kit ? imageOf(draft) : `${model.name.toLowerCase()}-${id}`}.svg`;
    case 'datetime':
      return timeOf(created);
    case 'date':
      return dayOf(created);
    // A model without its ID says nothing, nor does an ID without its model.
    case 'fkModel':
      return null;
    case 'select':
      if (kit && !field.choices) return 'es';
      break;
    case 'duration':
      return random.pick(['P30D', 'P90D', 'P1Y']);
  }
  const number = field.type === 'select' ? random.int(0, 999) : id;
  return WIRE_TYPES[field.type].sample(number, { field, profile: DEFAULT_PROFILE });
}

/** Returns the name of an image, which shows the initials of the person, or of the name of the thing. */
function imageOf({ id, model, record, subject }: GeneratedDraft): string {
  if (!isOfPeople(model)) return imageName({ first: String(record.name ?? model.name), last: '' }, id);
  const { first, isCompany, last } = subject();
  return imageName({ first: isCompany ? first : String(first.split(' ')[0]), last }, id);
}
