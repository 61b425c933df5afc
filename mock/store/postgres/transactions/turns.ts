import { isAway } from '../trouble.ts';

/** One after the other, each for what it names. */
export type Turns = {
  /** Waits until nobody else has it. Gives how to let it go; where the database is away those who wait are told so. */
  take(name: string): Promise<(error?: unknown) => void>;
};

export function createTurns(): Turns {
  const taken = new Map<string, Promise<void>>();
  return {
    take: async (name) => {
      while (taken.has(name)) await taken.get(name);
      const { promise, reject, resolve } = Promise.withResolvers<void>();
      promise.catch(() => undefined);
      taken.set(name, promise);
      return (error) => {
        if (taken.get(name) === promise) taken.delete(name);
        if (error !== undefined && isAway(error)) reject(error);
        else resolve();
      };
    },
  };
}
