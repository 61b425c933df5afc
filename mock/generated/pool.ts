import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import { type FixtureRecord, type Fixtures, numberRecords } from '../seed/seed-record.ts';
import { firstIndex } from '../store/search.ts';

/** A generated record, and its model. */
export type Generated = { readonly model: Model; readonly record: Record<string, unknown> };

/** The generated records of a model in a round. Their IDs have no gaps. */
type Made = {
  readonly model: Model;
  readonly firstId: number;
  /** When the records were created, the oldest first, in milliseconds since 1970. */
  readonly created: number[];
  /** The number of records that were released, the oldest ones. */
  released: number;
  /** The records that were not released. */
  readonly records: Record<string, unknown>[];
};

/** Keeps the generated records of a round, and finds them and the existing ones for later records. */
export function createPool(there: Existing) {
  const all = new Map<string, Made>();
  /** The IDs of all rounds: the first one, and the next one. */
  const used = new Map<string, { readonly first: number; next: number }>();
  const countBefore = (made: Made | undefined, time: number) =>
    made ? firstIndex(made.created, (created) => created > time) : 0;
  return {
    add(model: Model, record: Record<string, unknown>, created: number): void {
      const id = Number(record.id);
      const known = all.get(model.name);
      const made = known ?? { model, firstId: id, created: [], released: 0, records: [] };
      if (!known) all.set(model.name, made);
      const own = used.get(model.name);
      if (own) own.next = id + 1;
      else used.set(model.name, { first: id, next: id + 1 });
      made.created.push(created);
      made.records.push(record);
    },
    nextId: (model: string): number => used.get(model)?.next ?? 1 + there.lastId(model),
    /** Whether a record of this ID was generated, in any round. */
    has,
    /** Returns the records that are kept of some models, and forgets them. Asking for one of them then throws. */
    release(models: readonly Model[]): Generated[] {
      return models.flatMap((model) => {
        const made = all.get(model.name);
        if (!made) return [];
        const records = made.records.splice(0);
        made.released += records.length;
        return records.map((record) => ({ model, record }));
      });
    },
    /** Returns the models with generated records, in the order of their first one, and the kept records. */
    kept: (): Fixtures => new Map([...all].map(([name, { records }]) => [name, records])),
    /** Forgets the records of a round. IDs go on. */
    clear: () => all.clear(),
    /**
     * Returns the number of records of a model that a record can link to from a time on, and their IDs. Generated
     * records come before existing ones.
     */
    before(model: string, time: number): { count: number; idAt(place: number): number | undefined } {
      const made = all.get(model);
      const count = countBefore(made, time);
      if (made && count > 0) return { count, idAt: (place) => made.firstId + place };
      const ids = there.liveIds(model);
      return { count: ids.length, idAt: (place) => ids[place] };
    },
    /** Returns the generated records of a model from before a time. */
    earlier(model: string, time: number) {
      const made = all.get(model);
      return { count: countBefore(made, time), at: (place: number) => (made && recordAt(made, place)) ?? {} };
    },
    first: there.first,
    nameIn(model: string, number: number): string | undefined {
      const made = all.get(model);
      if (made) return String(recordAt(made, number % made.created.length)?.name);
      const ids = there.liveIds(model);
      const found = there.find(model, ids[number % Math.max(1, ids.length)] ?? 0);
      return found?.name === undefined ? undefined : String(found.name);
    },
    find(model: string, id: unknown): Record<string, unknown> {
      const made = all.get(model);
      return (made && recordAt(made, Number(id) - made.firstId)) ?? { ...there.find(model, Number(id)) };
    },
    neighbor(model: string, id: number): number | undefined {
      if (has(model, id - 1)) return id - 1;
      const others = there.liveIds(model);
      return others.findLast((other) => other < id) ?? others.find((other) => other !== id);
    },
  };

  function has(model: string, id: number): boolean {
    const own = used.get(model);
    return own !== undefined && id >= own.first && id < own.next;
  }

  function recordAt({ created, model, records, released }: Made, place: number) {
    if (place >= 0 && place < Math.min(released, created.length))
      throw new TypeError(`A generated ${model.name} was needed after it was released.`);
    return records[place - released];
  }
}

export type Existing = ReturnType<typeof readExisting>;

/** Returns the existing records, by the IDs that they have or get. */
export function readExisting(fixtures: Fixtures, { models }: Catalogue) {
  const records = new Map([...fixtures].map(([name, all]) => [name, byId(all)]));
  const live = new Map([...records].map(([name, all]) => [name, liveOf(all, models.get(name))]));
  const firsts = new Map<string, Map<unknown, FixtureRecord>>();
  return {
    find: (model: string, id: number) => records.get(model)?.get(id),
    /** Returns the first record with a value in a field. */
    first(model: string, field: string, value: unknown): FixtureRecord | undefined {
      const key = `${model}.${field}`;
      const byValue = firsts.get(key) ?? new Map<unknown, FixtureRecord>();
      if (!firsts.has(key)) {
        for (const record of records.get(model)?.values() ?? [])
          if (!byValue.has(record[field])) byValue.set(record[field], record);
        firsts.set(key, byValue);
      }
      return byValue.get(value);
    },
    /** Returns the IDs that a link can have. */
    liveIds: (model: string): readonly number[] => live.get(model) ?? [],
    /** Returns the highest ID; 0 for none. */
    lastId: (model: string) =>
      [...(records.get(model)?.keys() ?? [])].reduce((most, id) => Math.max(most, id), 0),
  };
}

function byId(records: readonly FixtureRecord[]): ReadonlyMap<number, FixtureRecord> {
  const ids = numberRecords(records);
  const numbered = records.map((record, index) => [Number(ids[index]), record] as const);
  return new Map(numbered.filter(([id]) => Number.isSafeInteger(id)));
}

function liveOf(records: ReadonlyMap<number, FixtureRecord>, model: Model | undefined): number[] {
  return [...records].filter(([, record]) => !model || !isDeleted(model, record)).map(([id]) => id);
}
