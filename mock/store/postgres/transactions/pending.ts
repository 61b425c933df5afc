import type { RecordValues } from '../../../../spec/wire/record-codec.ts';
import type { Layout } from '../../store.ts';
import type { Statement } from '../rows.ts';
import { SCHEMA } from '../schema.ts';
import { addRecords, OWN, type RecordRow, toRow } from '../writes.ts';

/** What a transaction is to write, until it is read or the end comes. */
export type Pending = {
  /** The record that waits; undefined in it stands for one to remove. */
  get(model: string, id: number): { readonly record: RecordValues | undefined } | undefined;
  put(model: string, id: number, record: RecordValues | undefined): void;
  /** Notes that an id was given: where somebody else took it, after a clear, its record must not be replaced. */
  given(model: string, id: number): void;
  /** Forgets what waits for a model. */
  clear(model: string): void;
  models(): readonly string[];
  /** The only record, where that is all; `isNew` where its id was given. */
  only(): { readonly row: RecordRow; readonly record: RecordValues; readonly isNew: boolean } | undefined;
  /** The statements that write all; undefined where records are to be removed, or there are too many. */
  whole(): readonly Statement[] | undefined;
  /** Takes what waits for a model, as statements. */
  take(model: string): readonly Statement[];
};

/** So many at once, so that no statement gets too long. */
const AT_ONCE = 1000;

export function createPending(space: string, layout: Layout): Pending {
  const waiting = new Map<string, Map<number, RecordValues | undefined>>();
  const fresh = new Map<string, Set<number>>();
  return {
    get: (model, id) => {
      const waits = waiting.get(model);
      return waits?.has(id) ? { record: waits.get(id) } : undefined;
    },
    put: (model, id, record) => {
      waiting.set(model, (waiting.get(model) ?? new Map()).set(id, record));
    },
    given: (model, id) => {
      fresh.set(model, (fresh.get(model) ?? new Set()).add(id));
    },
    clear: (model) => {
      waiting.delete(model);
    },
    models: () => [...waiting.keys()],
    only: () => {
      const rows = plainRows();
      const [row] = rows ?? [];
      const record = row && waiting.get(row.model)?.get(row.id);
      return record && rows?.length === 1 ? { row, record, isNew: isFresh(row) } : undefined;
    },
    whole: () => {
      const rows = plainRows();
      return rows && rows.length <= AT_ONCE ? writesOf(rows) : undefined;
    },
    take: (model) => {
      const waits = waiting.get(model) ?? new Map<number, RecordValues | undefined>();
      const rows = rowsOf([model, waits]);
      const statements = Array.from({ length: Math.ceil(rows.length / AT_ONCE) }, (_, part) =>
        writesOf(rows.slice(part * AT_ONCE, (part + 1) * AT_ONCE)),
      );
      const gone = [...waits].flatMap(([id, record]) => (record ? [] : id));
      waiting.delete(model);
      for (const id of waits.keys()) fresh.get(model)?.delete(id);
      return [...statements.flat(), ...(gone.length > 0 ? [removal(model, gone)] : [])];
    },
  };

  function isFresh({ id, model }: RecordRow): boolean {
    return fresh.get(model)?.has(id) === true;
  }

  /** Undefined where records are to be removed. */
  function plainRows(): RecordRow[] | undefined {
    const hasRemovals = [...waiting.values()].some((waits) => [...waits.values()].includes(undefined));
    return hasRemovals ? undefined : [...waiting].flatMap(rowsOf);
  }

  function rowsOf([model, waits]: readonly [
    string,
    ReadonlyMap<number, RecordValues | undefined>,
  ]): RecordRow[] {
    return [...waits.values()].flatMap((record) => (record ? toRow(model, record, layout) : []));
  }

  function writesOf(rows: readonly RecordRow[]): Statement[] {
    const groups = { add: rows.filter(isFresh), put: rows.filter((row) => !isFresh(row)) };
    return (['add', 'put'] as const).flatMap((kind) =>
      groups[kind].length > 0 ? addRecords(kind, space, groups[kind]) : [],
    );
  }

  function removal(model: string, ids: readonly number[]): Statement {
    const text = `${OWN} delete from ${SCHEMA}.record r using own where r.part = own.part and r.id = any ($3::bigint[])`;
    return { name: 'remove', text, values: [space, model, ids] };
  }
}
