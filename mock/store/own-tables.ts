import type { Tables } from './keeper.ts';
import type { Layout } from './store.ts';
import { copyTable, createTable, type Table } from './table.ts';

/** The tables of a session, each of which is shared with a snapshot until it is written to. */
export type OwnTables = {
  all(): Tables;
  get(model: string): Table | undefined;
  /** The table of a model to write to: a copy where it is shared, a new one where there is none. */
  own(model: string): Table;
  /** Puts a table that is this session's alone in the place of the one there is; an empty one when absent. */
  set(model: string, table?: Table): void;
  /** Tables that others have too. */
  share(tables: Tables): Tables;
};

export function createOwnTables(beginning: Tables, layout: Layout): OwnTables {
  let tables = beginning;
  /** The list of tables when it is this session's alone; until the first write it is the snapshot's. */
  let ownList: Map<string, Table> | undefined;
  /** Marks the tables that are this session's alone. */
  let owner = {};
  const make = (model: string) => createTable(layout, model, owner);
  const set = (model: string, table = make(model)) => {
    ownList ??= new Map(tables);
    tables = ownList.set(model, table);
  };
  return {
    all: () => tables,
    get: (model) => tables.get(model),
    own: (model) => {
      const known = tables.get(model);
      if (known?.owner === owner) return known;
      const table = known ? copyTable(known, owner) : make(model);
      set(model, table);
      return table;
    },
    set,
    share: (shared) => {
      owner = {};
      ownList = undefined;
      tables = shared;
      return shared;
    },
  };
}
