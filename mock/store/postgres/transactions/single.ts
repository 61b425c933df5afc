import type { RecordValues } from '../../../../spec/wire/record-codec.ts';
import type { Seen } from '../seen.ts';
import type { Turns } from './turns.ts';

/**
 * The one record that most work reads, and all that it changes. It is read outside of a transaction, or it is what this
 * replica saw last: one statement changes it if it still is that.
 */
export type Single = {
  /** Throws NOT_SINGLE where another was read. */
  get(model: string, id: number): Promise<RecordValues | undefined>;
  /** Throws NOT_SINGLE where one was read: a transaction would not know of it. */
  refuseMore(): void;
  /** What was read; undefined before. */
  read(): { readonly model: string; readonly id: number; readonly was: string } | undefined;
  /** Whether that was not asked of the database. */
  isGuess(): boolean;
  end(error: unknown): void;
};

/** Thrown where work turns out to take more. */
export const NOT_SINGLE = new Error('one statement will not do');

export type SingleOptions = {
  readonly space: string;
  readonly seen: Seen;
  /** Of this replica nobody else is between its reading of a record and its writing. */
  readonly turns: Turns;
  readonly read: (space: string, model: string, id: number) => Promise<RecordValues | undefined>;
};

export function createSingle({ read, seen, space, turns }: SingleOptions, guesses: boolean): Single {
  let one: { readonly model: string; readonly id: number } | undefined;
  let turn: ReturnType<Turns['take']> | undefined;
  let was = '';
  let isGuess = false;
  return {
    get: async (model, id) => {
      if (one) throw NOT_SINGLE;
      one = { model, id };
      turn = turns.take(`${space} ${model} ${id}`);
      await turn;
      const last = guesses ? seen.last(space, model, id) : undefined;
      isGuess = last !== undefined;
      const record = last?.record ?? (await read(space, model, id));
      // Nothing is like a record that is not there.
      was = last?.text ?? (record ? JSON.stringify(record) : '');
      return record;
    },
    refuseMore: () => {
      if (one) throw NOT_SINGLE;
    },
    read: () => one && { ...one, was },
    isGuess: () => isGuess,
    end: (error) => {
      turn?.then((letGo) => letGo(error)).catch(() => undefined);
    },
  };
}
