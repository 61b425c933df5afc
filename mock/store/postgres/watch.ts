import { setImmediate as turn } from 'node:timers/promises';
import type pg from 'pg';
import { StoreAway } from '../store.ts';

/** Notices a database that hangs: it accepts connections or statements, and does not respond. */
export type Watch = {
  /** Runs what asks the database. Rejects with StoreAway at once as long as the database does not respond. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Asks the database once. Rejects with StoreAway if it does not respond. */
  check(): Promise<void>;
  close(): Promise<void>;
};

export type WatchOptions = {
  /** Milliseconds until a database that does not respond counts as away. */
  readonly bound: number;
  readonly connect: () => pg.Client;
  /** Ends all that waits for the database. */
  readonly hangUp: () => void;
  readonly shown: string;
};

/** Milliseconds between two questions to a database that is away. */
const PAUSE = 250;

/**
 * Asks the database a small question while others wait for it. A statement that takes long is no reason to give up, but
 * a database that does not respond to that question either is away: then all who wait are told so, and those who come
 * later at once, until it responds again.
 */
export function createWatch({ bound, connect, hangUp, shown }: WatchOptions): Watch {
  const waiting = new Set<(error: unknown) => void>();
  let away: StoreAway | undefined;
  let client: pg.Client | undefined;
  let asked: Promise<void> | undefined;
  let isClosed = false;
  // Half of the bound is for noticing that somebody waits, and half for the question.
  const timer = setInterval(() => waiting.size > 0 && ask().catch(() => {}), bound / 2).unref();
  return {
    run: async <Result>(work: () => Promise<Result>) => {
      refuse();
      const { promise, reject, resolve } = Promise.withResolvers<Result>();
      waiting.add(reject);
      work().then(resolve, reject);
      try {
        return await promise;
      } finally {
        waiting.delete(reject);
      }
    },
    check: async () => {
      refuse();
      await ask();
    },
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      dismiss();
      await asked?.catch(() => {});
    },
  };

  function refuse(): void {
    if (away) throw away;
  }

  /** Those who ask at once share one question. */
  function ask(): Promise<void> {
    asked ??= question().finally(() => {
      asked = undefined;
    });
    return asked;
  }

  async function question(): Promise<void> {
    const late = Promise.withResolvers<never>();
    const expired = setTimeout(async () => {
      // A response might have come while this process was busy.
      await turn();
      late.reject(new Error(`no response within ${bound / 2} ms`));
    }, bound / 2);
    try {
      await Promise.race([respond(), late.promise]);
      away = undefined;
    } catch (error) {
      dismiss();
      if (isClosed) return;
      const isNew = away === undefined;
      away = new StoreAway(
        `${shown} does not respond. Send the request again. The driver reports: ${(error as Error).message}.`,
      );
      for (const reject of waiting) reject(away);
      if (isNew) hangUp();
      setTimeout(() => isClosed || ask().catch(() => {}), PAUSE).unref();
      refuse();
    } finally {
      clearTimeout(expired);
    }
  }

  async function respond(): Promise<void> {
    if (!client) {
      const made = connect();
      client = made;
      made.on('error', () => made === client && dismiss());
      await made.connect();
    }
    await client.query('select 1');
  }

  function dismiss(): void {
    const old = client;
    client = undefined;
    if (old) hangUpOn(old);
  }
}

/** Closes a connection without a farewell, which a database that hangs would not hear. */
export function hangUpOn(client: pg.ClientBase): void {
  const { connection } = client as pg.ClientBase & { readonly connection: pg.Connection };
  connection.stream.destroy();
}
