import { kitFile } from '../../spec/files/kit-file.ts';
import { readYamlFile } from '../../spec/files/yaml-file.ts';
import type { Random } from './random.ts';

/** The words and figures of generated records of the kit. */
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

/** Draws a first name. */
export function drawFirst(random: Random): string {
  return random.pick(random.pick([FEMALE, MALE]));
}

/** Returns a text for a field; undefined for fields without texts. */
export function drawText(key: string, random: Random): string | undefined {
  const texts = SPANISH.texts[key];
  return texts && random.pick(texts).replaceAll(/\{(\w+)\}/g, (_, slot: string) => fill(slot, random));
}

function fill(slot: string, random: Random): string {
  const words = SPANISH.slots[slot];
  if (words) return random.pick(words);
  if (slot === 'time') return `${random.int(9, 21)}:${random.pick(['00', '15', '30', '45'])}`;
  return slot === 'who' ? drawFirst(random) : String(random.int(2, 8));
}
