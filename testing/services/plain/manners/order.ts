import type { Row } from '../../records/tables.ts';
import type { PlainOptions } from '../options.ts';

/** Records in the order of a list. */
export function order(rows: readonly Row[], query: URLSearchParams, dialect: PlainOptions): Row[] {
  const asked = dialect.sort === 'field' ? query.get('sort') : null;
  if (asked !== null) {
    const [name, sign] = asked.startsWith('-') ? [asked.slice(1), -1] : [asked, 1];
    return rows.toSorted((one, other) => sign * compare(one[name], other[name]));
  }
  const byId = (one: Row, other: Row) => Number(one.id) - Number(other.id);
  if (dialect.order === 'newest') return rows.toSorted((one, other) => byId(other, one));
  if (dialect.order === 'id') return [...rows];
  return rows.toSorted((one, other) => compare(one.updated, other.updated) || byId(one, other));
}

function compare(one: unknown, other: unknown): number {
  if (one === other) return 0;
  if (one === null || one === undefined) return -1;
  if (other === null || other === undefined) return 1;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one) < String(other) ? -1 : 1;
}
