import { SPANISH } from './spanish.ts';

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
