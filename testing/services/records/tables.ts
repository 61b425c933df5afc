/** A record as a service keeps it: the values as they go over the wire, without those that are not set. */
export type Row = Record<string, unknown>;

/** How a database gives ids: on from the last one, or from the greatest that is there; in steps; one count for all. */
export type IdHabit = 'counted' | 'used again' | 'by seven' | 'shared' | 'large';

/** The tables of a service. */
export type Tables = ReturnType<typeof createTables>;

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
  return {
    rowsOf: (model: string) => of(model).rows,
    /** In the order of their ids, with those that are only marked as deleted. */
    all: (model: string) => [...of(model).rows.values()],
    find: (model: string, id: number) => of(model).rows.get(id),
    /** Gives the id. */
    insert: (model: string, row: Row) => {
      const table = of(model);
      const id = Number(row.id ?? next(table));
      table.last = Math.max(table.last, id);
      table.rows.set(id, { ...row, id });
      return id;
    },
    change: (model: string, id: number, patch: Row) => {
      const row = of(model).rows.get(id);
      if (row) Object.assign(row, patch);
    },
    remove: (model: string, id: number) => void of(model).rows.delete(id),
  };
}

export const isGone = ({ deleted }: Row): boolean => deleted === true || deleted === 1;
