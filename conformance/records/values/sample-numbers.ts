import type { Model } from '../../../spec/catalogue/catalogue.ts';

/** The numbers that samples are made from; what is asked for under one key comes again with the same choices. */
export type SampleNumbers = {
  /** The numbers of one case or question of a model, one after the other. */
  of(model: Model, key: unknown): () => number;
  /** From now on each key of the model gets its first numbers again, moved on so that no text comes twice. */
  repeat(model: Model): void;
};

/** Leaves what is chosen by turns as it is: truth values, members of lists, percentages. */
const STEP = 16 * 9 * 25 * 7;

/** Away from the numbers of this run and of the one before it, and as far on as a choice by turns allows. */
export const FAR = 15_485 * STEP;

/** Steps that a run may lie apart from another one: no number gets beyond a signed 32-bit column. */
const PLACES = 30_000;
const FIRST = 1000;

/**
 * Numbers of its own for each model: what is sent does not depend on what runs beside it. Another seed or tag moves
 * all of them by whole steps, so that they choose the same truth values and members of lists.
 */
export function createSampleNumbers(seed: number, tag = ''): SampleNumbers {
  const first = FIRST + (placeOf(seed, tag) % PLACES) * STEP;
  const last = new Map<string, number>();
  const rounds = new Map<string, number>();
  const drawn = new Map<string, Map<unknown, readonly number[]>>();
  return {
    of({ name }, key) {
      const ofModel = drawn.get(name) ?? new Map<unknown, readonly number[]>();
      drawn.set(name, ofModel);
      const first = ofModel.get(key);
      const round = rounds.get(name) ?? 0;
      if (round > 0 && first) {
        const again = first.values();
        return () => {
          const { value } = again.next();
          return value === undefined ? next(name) : value + round * STEP;
        };
      }
      const numbers: number[] = [];
      ofModel.set(key, numbers);
      return () => {
        const number = next(name);
        numbers.push(number);
        return number;
      };
    },
    repeat: ({ name }) => void rounds.set(name, (rounds.get(name) ?? 0) + 1),
  };

  function next(name: string): number {
    const number = (last.get(name) ?? first) + 1;
    last.set(name, number);
    return number;
  }
}

/** FNV-1a (RFC draft-eastlake-fnv) of the tag, beside the seed. */
function placeOf(seed: number, tag: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(tag)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return tag === '' ? seed : seed + hash;
}
