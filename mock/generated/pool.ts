import { firstIndex } from '../store/order.ts';
import type { Existing } from './existing.ts';
import type { Draft } from './values.ts';

/** The records that there are so far: those that were there, and those that were made. */
export type Pool = Pick<Draft, 'find' | 'neighbor'> & {
  /** What is made of a model, the first one first. */
  made(model: string): Draft[];
  nextId(model: string): number;
  /**
   * How many records of a model may be linked to from a time on, and the id of each by its place; records that were made
   * go before those that were there.
   */
  before(model: string, time: number): { readonly count: number; idAt(place: number): number | undefined };
};

export function createPool(there: Existing, made: Map<string, Draft[]>): Pool {
  const madeOf = (model: string) => made.get(model) ?? [];
  return {
    made(model) {
      const drafts = madeOf(model);
      made.set(model, drafts);
      return drafts;
    },
    nextId: (model) => 1 + Number(madeOf(model).at(-1)?.record.id ?? there.lastId(model)),
    before(model, time) {
      const own = madeOf(model);
      const count = firstIndex(own, ({ created }) => created > time);
      if (count > 0) return { count, idAt: (place) => Number(own[place]?.record.id) };
      const ids = there.liveIds(model);
      return { count: ids.length, idAt: (place) => ids[place] };
    },
    find(model, id) {
      const own = madeOf(model);
      const at = Number(id) - Number(own[0]?.record.id);
      return own[at]?.record ?? { ...there.find(model, Number(id)) };
    },
    neighbor(model, id) {
      if (id > Number(madeOf(model)[0]?.record.id)) return id - 1;
      const ids = there.liveIds(model);
      return ids.findLast((other) => other < id) ?? ids.find((other) => other !== id);
    },
  };
}
