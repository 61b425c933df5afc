import type { Layout, ReadableRecords, Records } from '../store.ts';
import { type Changes, findAfter, type ModelChanges } from './changes.ts';
import { type Ids, idAfter } from './ids.ts';

/** One run of the work of a request. Its changes are not stored yet. */
export type WorkRun = {
  readonly records: Records;
  readonly changes: Changes;
  /** Whether it read something that changes concern. */
  isAffectedBy(changes: Changes): boolean;
};

/** Starts a run. It sees the records that `reads` returns after the earlier changes and its own. */
export function createWorkRun(options: {
  readonly ids: Ids;
  readonly layout: Layout;
  readonly reads: ReadableRecords;
  readonly earlier: Changes;
}): WorkRun {
  const { earlier, ids, reads } = options;
  const changes: Changes = new Map();
  /** By model, the records that were asked for. */
  const got = new Map<string, Set<number>>();
  const listed = new Set<string>();
  /** By model, IDs that were assigned here or are in use. The counter must pass over any other. */
  const known = new Map<string, Set<number>>();
  const changesOf = (model: string) => changes.get(model) ?? earlier.get(model);
  const records: Records = {
    get: async (model, id) => {
      const changed = changesOf(model);
      if (changed?.records.has(id)) return changed.records.get(id);
      if (changed?.last !== undefined) return undefined;
      note(got, model, id);
      const record = await reads.get(model, id);
      if (record) note(known, model, id);
      return record;
    },
    find: async (model, query) => {
      listed.add(model);
      const changed = changesOf(model);
      const found = await (changed ? findAfter(changed, model, query, options) : reads.find(model, query));
      for (const { id } of found.records) note(known, model, Number(id));
      return found;
    },
    nextId: async (model) => {
      const last = changesOf(model)?.last;
      const id = last === undefined ? await ids.next(model) : idAfter(model, last);
      if (last !== undefined) own(model).last = id;
      // An earlier work can store a record with this ID, without asking for one.
      note(got, model, id);
      note(known, model, id);
      return id;
    },
    put: async (model, record) => {
      const id = Number(record.id);
      const { last } = own(model);
      if (last !== undefined) own(model).last = Math.max(last, id);
      else if (!known.get(model)?.has(id)) await ids.passOver(model, id);
      note(known, model, id);
      own(model).records.set(id, record);
    },
    remove: async (model, id) => {
      own(model).records.set(id, undefined);
    },
    clear: async (model) => {
      changes.set(model, { last: 0, records: new Map() });
    },
  };
  return {
    records,
    changes,
    isAffectedBy: (others) =>
      [...others].some(([model, { last, records }]) => {
        if (listed.has(model)) return true;
        const ids = got.get(model);
        return ids !== undefined && (last !== undefined || [...ids].some((id) => records.has(id)));
      }),
  };

  /** Returns the changes of a model, to add to. */
  function own(model: string): ModelChanges {
    const { last, records } = changesOf(model) ?? {};
    const own = changes.get(model) ?? { last, records: new Map(records) };
    own.byLink = undefined;
    changes.set(model, own);
    return own;
  }
}

function note(all: Map<string, Set<number>>, model: string, id: number): void {
  const ids = all.get(model);
  if (ids) ids.add(id);
  else all.set(model, new Set([id]));
}
