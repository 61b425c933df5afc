import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import { type FixtureRecord, type Fixtures, numberRecords } from '../seed/seed-record.ts';

/** The records that are there already, by the ids that they have or get. */
export type Existing = {
  find(model: string, id: number): FixtureRecord | undefined;
  /** The ids that may be linked to. */
  liveIds(model: string): readonly number[];
  /** The greatest id; 0 where there is none. */
  lastId(model: string): number;
};

export function readExisting(fixtures: Fixtures, { models }: Catalogue): Existing {
  const records = new Map([...fixtures].map(([name, all]) => [name, byId(all)]));
  const live = new Map([...records].map(([name, all]) => [name, liveOf(all, models.get(name))]));
  return {
    find: (model, id) => records.get(model)?.get(id),
    liveIds: (model) => live.get(model) ?? [],
    lastId: (model) => [...(records.get(model)?.keys() ?? [])].reduce((most, id) => Math.max(most, id), 0),
  };
}

function byId(records: readonly FixtureRecord[]): ReadonlyMap<number, FixtureRecord> {
  const numbered = [...numberRecords(records)].map(([record, id]) => [Number(id), record] as const);
  return new Map(numbered.filter(([id]) => Number.isSafeInteger(id)));
}

function liveOf(records: ReadonlyMap<number, FixtureRecord>, model: Model | undefined): number[] {
  return [...records].filter(([, record]) => !model || !isDeleted(model, record)).map(([id]) => id);
}
