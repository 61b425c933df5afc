/** A record as a service keeps it: the values as they go over the wire, without those that are not set. */
export type Row = Record<string, unknown>;

/** Where a service keeps its records; each has a database of its own. */
export type Tables = {
  /** In the order of their ids, with those that are only marked as deleted. */
  all(model: string): Row[];
  find(model: string, id: number): Row | undefined;
  /** Gives the id; throws a Conflict where the database refuses. */
  insert(model: string, row: Row): number;
  change(model: string, id: number, patch: Row): void;
  remove(model: string, id: number): void;
};

/** What a constraint of the database refuses. */
export class Conflict extends Error {}

/** Tables in memory, which count their ids on. */
export function createTables(): Tables {
  const tables = new Map<string, { last: number; rows: Map<number, Row> }>();
  const of = (model: string) => {
    const known = tables.get(model) ?? { last: 0, rows: new Map() };
    tables.set(model, known);
    return known;
  };
  return {
    all: (model) => [...of(model).rows.values()],
    find: (model, id) => of(model).rows.get(id),
    insert: (model, row) => {
      const table = of(model);
      const id = Number(row.id ?? table.last + 1);
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
}

export const isGone = ({ deleted }: Row): boolean => deleted === true || deleted === 1;
