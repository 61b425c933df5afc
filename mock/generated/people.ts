import type { Model } from '../../spec/catalogue/catalogue.ts';
import { kitFile } from '../../spec/files/kit-file.ts';
import { readYamlFile } from '../../spec/files/yaml-file.ts';
import type { Random } from './random.ts';

export const SPANISH = readYamlFile(kitFile('mock/generated/spanish.yaml')).value as {
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly texts: Readonly<Record<string, readonly string[]>>;
  readonly slots: Readonly<Record<string, readonly string[]>>;
  readonly metrics: Readonly<Record<string, number>>;
  readonly tenants: readonly string[];
  readonly spain: Readonly<Record<string, readonly string[]>>;
  readonly costaRica: Readonly<Record<string, readonly string[]>>;
  readonly streets: readonly string[];
  /** Separated by spaces. */
  readonly female: string;
  readonly male: string;
  readonly surnames: string;
  readonly goods: readonly (readonly [string, string, string, string, number, number, number])[];
  readonly addons: readonly (readonly [product: number, name: string, price: number])[];
  readonly purchases: readonly (readonly [name: string, price: number])[];
  readonly shares: readonly (readonly [title: string, serie: string])[];
  readonly fees: readonly number[];
  readonly unitPrices: readonly number[];
  readonly isSet: Readonly<Record<string, number>>;
  readonly isTrue: Readonly<Record<string, number>>;
  readonly values: Readonly<Record<string, readonly (string | number)[]>>;
};

/** The parts of names by model: columns of alternatives. */
const PARTS = new Map(
  Object.entries(SPANISH.names).map(([model, columns]) => [
    model,
    columns.map((column) => column.split('|')),
  ]),
);

/** Whether records of a model have a name that belongs to no person and no company. */
export const hasNames = (model: string): boolean => PARTS.has(model);

/** Returns the name of a record. Records of one model have different names: after all names, a number follows. */
export function nameOf(model: string, id: number): string {
  const isPurse = model === 'voucherType' && id % 2 === 1;
  const columns = PARTS.get(isPurse ? 'purse' : model);
  if (!columns) return `${model} ${id}`;
  const place = model === 'voucherType' ? Math.floor(id / 2) : id;
  const total = columns.reduce((product, { length }) => product * length, 1);
  // A step without a common divisor visits all names, and gives neighbors different words.
  let rest = (place * stepFor(total)) % total;
  const round = Math.floor(place / total);
  let name = '';
  for (const column of columns) {
    name += column[rest % column.length];
    rest = Math.floor(rest / column.length);
  }
  return round === 0 ? name : `${name} ${round + 1}`;
}

function stepFor(total: number): number {
  let step = Math.max(1, Math.floor(total * 0.618));
  while (divisor(step, total) !== 1) step++;
  return step;
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}

export const [FEMALE, MALE, SURNAMES] = [SPANISH.female, SPANISH.male, SPANISH.surnames].map((all) =>
  all.split(' '),
) as [string[], string[], string[]];

/** Returns a text for a field; undefined for fields without texts. */
export function drawText(key: string, random: Random): string | undefined {
  const texts = SPANISH.texts[key];
  return texts && random.pick(texts).replaceAll(/\{(\w+)\}/g, (_, slot: string) => fill(slot, random));
}

function fill(slot: string, random: Random): string {
  const words = SPANISH.slots[slot];
  if (words) return random.pick(words);
  if (slot === 'time') return `${random.int(9, 21)}:${random.pick(['00', '15', '30', '45'])}`;
  return slot === 'who' ? random.pick(random.pick([FEMALE, MALE])) : String(random.int(2, 8));
}

/** A place. Without `zip`, addresses have no postal code. `zips` is how many codes from `zip` on belong to the city. */
type Locality = Readonly<{ country: number; prefix: string; province: string; city: string }> &
  Readonly<{ zip?: number; zips?: number; canton?: string; district?: string; code?: string }>;

function readPlaces(provinces: Readonly<Record<string, readonly string[]>>) {
  return Object.entries(provinces).flatMap(([province, places]) =>
    places.map((place) => ({ province, code: place.slice(0, 5), at: place.slice(6) })),
  );
}

export const CITIES: readonly Locality[] = readPlaces(SPANISH.spain).map(({ at: city, code, province }) => ({
  country: 1,
  prefix: '+34',
  province,
  city,
  zip: Number(code),
  // A capital has several codes. The others have the one that is listed.
  zips: code.endsWith('001') ? 9 : 1,
}));

/** The countries have the IDs of the demo records. */
const ABROAD: readonly Locality[] = readPlaces(SPANISH.costaRica).map(({ at, code, province }) => {
  const [canton = '', district = ''] = at.split('/');
  const city = canton === 'Central' ? province : canton;
  return { country: 4, prefix: '+506', province, city, canton, district, code };
});

/** The person or company that a record is about, and where it is. All fields of the record follow from it. */
export type Subject = Readonly<{ isCompany: boolean; name: string; first: string; last: string }> &
  Readonly<{ sex: 'female' | 'male'; place: Locality; zip: string }>;

export function isOfPeople({ fields }: Model): boolean {
  return fields.some(({ name }) => /^(birthdate|gender|firstName)$/.test(name));
}

export function drawSubject(random: Random, model: Model, id: number): Subject {
  const canBeCompany = model.fields.some(({ name }) => name === 'isCompany');
  const isPerson = isOfPeople(model) && !(canBeCompany && random.chance(0.05));
  const place = random.pick(isPerson && random.chance(0.03) ? ABROAD : CITIES);
  const zip = place.zip === undefined ? 0 : place.zip + random.int(0, (place.zips ?? 1) - 1);
  const of = { place, zip: zip === 0 ? '' : String(zip).padStart(5, '0') };
  if (!isPerson) {
    const name = nameOf(isOfPeople(model) ? 'company' : model.name, id);
    return { ...of, isCompany: true, name, first: name, last: '', sex: 'female' };
  }
  const sex = random.pick(['female', 'male'] as const);
  const first = random.pick(sex === 'female' ? FEMALE : MALE);
  const last = `${random.pick(SURNAMES)} ${random.pick(SURNAMES)}`;
  return { ...of, isCompany: false, name: `${first} ${last}`, first, last, sex };
}

/** Returns letters, digits, and a separator only, as in addresses. */
export function slug(text: string, separator: string): string {
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return (plain.match(/[a-z0-9]+/g) ?? []).join(separator);
}

/** Returns the name of the image of a record. The mock draws the initials of its first two words. */
export function imageName({ first, last }: Pick<Subject, 'first' | 'last'>, id: number): string {
  const words = slug(`${first} ${last}`, '-').split('-');
  const said = words.filter((word) => !/^(a|al|con|de|del|el|la|las|los|y)$/.test(word));
  return [...said.slice(0, 2), id].join('-').slice(0, 100);
}

/** Returns a tax number, of a person with its check letter. None of them is in use, because they begin with zeros. */
export function taxNumber(isCompany: boolean, id: number): string {
  const number = String(id % 10_000_000).padStart(8, '0');
  return isCompany ? `B${number}` : `${number}${checkLetter(id)}`;
}

export function checkLetter(id: number): string {
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[(id % 10_000_000) % 23] ?? '';
}
