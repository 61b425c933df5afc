/** A record as a service keeps it: the values as they go over the wire, without those that are not set. */
export type Row = Record<string, unknown>;

/** The tables of a service. */
export type Tables = {
  /** In the order of their ids, with those that are only marked as deleted. */
  all(model: string): Row[];
  find(model: string, id: number): Row | undefined;
  /** Gives the id; throws a Conflict where the database refuses. */
  insert(model: string, row: Row): number;
  change(model: string, id: number, patch: Row): void;
  remove(model: string, id: number): void;
};

/** The violation of a database constraint. */
export class Conflict extends Error {}

/** How a database gives ids: on from the last one, or from the greatest that is there; in steps; one count for all. */
export type IdHabit = 'counted' | 'used again' | 'by seven' | 'shared' | 'large';

/** Tables in memory; `first` is the first id, where ids are counted. */
export function createTables(habit: IdHabit = 'counted', first = 1) {
  const tables = new Map<string, { last: number; rows: Map<number, Row> }>();
  const start = habit === 'large' ? 2 ** 50 : first - 1;
  let shared = start;
  const of = (model: string) => {
    const known = tables.get(model) ?? { last: start, rows: new Map() };
    tables.set(model, known);
    return known;
  };
  const next = ({ last, rows }: { last: number; rows: Map<number, Row> }): number => {
    if (habit === 'shared') return ++shared;
    if (habit === 'used again') return Math.max(start, ...rows.keys()) + 1;
    return last + (habit === 'by seven' || habit === 'large' ? 7 : 1);
  };
  const made: Tables = {
    all: (model) => [...of(model).rows.values()],
    find: (model, id) => of(model).rows.get(id),
    insert: (model, row) => {
      const table = of(model);
      const id = Number(row.id ?? next(table));
      table.last = Math.max(table.last, id);
      table.rows.set(id, { ...row, id });
      return id;
    },
    change: (model, id, patch) => {
      const row = of(model).rows.get(id);
      if (row) Object.assign(row, patch);
    },
    remove: (model, id) => void of(model).rows.delete(id),
  };
  return { ...made, rowsOf: (model: string): Map<number, Row> => of(model).rows };
}

export const isGone = ({ deleted }: Row): boolean => deleted === true || deleted === 1;
