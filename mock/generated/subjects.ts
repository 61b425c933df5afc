import type { Faker } from '@faker-js/faker';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { nameOf } from './names.ts';
import { SHORT, SURNAMES } from './people.ts';
import { ABROAD, type Locality, SPANISH } from './places.ts';

/** The person or company that a record is about, and where it is. All fields of the record follow from it. */
export type Subject = {
  readonly kind: 'person' | 'company';
  readonly name: string;
  readonly first: string;
  readonly last: string;
  readonly sex: 'female' | 'male';
  readonly place: Locality;
  readonly zip: string;
};

/** Returns what friends call a person: a short first name, and the first surname. */
export function nickname({ first, last }: Subject): string {
  const [one = first] = first.split(' ');
  return `${SHORT[one] ?? `${one.slice(0, 1)}.`} ${last.split(' ')[0]}`;
}

/** Whether the records of a model are about people: only people have such fields. */
const isOfPeople = ({ fields }: Model) =>
  fields.some(({ name }) => /^(birthdate|gender|firstName)$/.test(name));

/** Draws the subject of a record. People of a club can have a company, too. */
export function drawSubject(faker: Faker, model: Model, id: number): Subject {
  const canBeCompany = model.fields.some(({ name }) => name === 'isCompany');
  const isPerson = isOfPeople(model) && !(canBeCompany && faker.number.float() < 0.05);
  const place = faker.helpers.arrayElement(isPerson && faker.number.float() < 0.03 ? ABROAD : SPANISH);
  const zip =
    place.zip === undefined
      ? ''
      : String(place.zip + faker.number.int({ max: (place.zips ?? 1) - 1 })).padStart(5, '0');
  if (!isPerson) {
    const name = nameOf(isOfPeople(model) ? 'company' : model.name, id);
    return { kind: 'company', name, first: name, last: '', sex: 'female', place, zip };
  }
  const sex = faker.helpers.arrayElement(['female', 'male'] as const);
  const first = faker.person.firstName(sex);
  const last = `${faker.helpers.arrayElement(SURNAMES)} ${faker.helpers.arrayElement(SURNAMES)}`;
  return { kind: 'person', name: `${first} ${last}`, first, last, sex, place, zip };
}

/** Returns letters, digits, and a separator only, as in addresses. */
export function slug(text: string, separator: string): string {
  if (text !== last.text) last = { text, words: wordsOf(text) };
  return last.words.join(separator);
}

/** The last text, because a record has several slugs of one name. */
let last: { readonly text: string; readonly words: readonly string[] } = { text: '', words: [] };

function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain.match(/[a-z0-9]+/g) ?? [];
}

const SMALL_WORDS = /^(a|al|con|de|del|el|la|las|los|y)$/;

/** Returns the name of the image of a record. The mock draws the initials of its first two words. */
export function imageName(
  { first, last }: { readonly first: string; readonly last: string },
  id: number,
): string {
  const words = slug(`${last === '' ? first : `${first.split(' ')[0]} ${last}`}`, '-').split('-');
  const said = words.filter((word) => !SMALL_WORDS.test(word));
  return [...said.slice(0, 2), id].join('-').slice(0, 100);
}

/** Returns a tax number with its check digit or letter. None of them is in use, because they begin with zeros. */
export function taxNumber(kind: Subject['kind'], id: number): string {
  const number = String(id % 10_000_000);
  if (kind === 'person') return `${number.padStart(8, '0')}${checkLetter(id)}`;
  const digits = [...number.padStart(7, '0')].map(Number);
  const sum = digits.reduce((total, digit, index) => {
    const counted = index % 2 === 0 ? digit * 2 : digit;
    return total + Math.floor(counted / 10) + (counted % 10);
  }, 0);
  return `B${digits.join('')}${(10 - (sum % 10)) % 10}`;
}

export function checkLetter(id: number): string {
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[(id % 10_000_000) % 23] ?? '';
}
