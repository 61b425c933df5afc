import type pg from 'pg';
import type { Pools } from './pools.ts';
import { SCHEMA } from './schema.ts';

export type Listener = { close(): Promise<void> };

type ListenerOptions = {
  readonly replica: string;
  readonly onMessage: (text: string) => void;
  /** Called once it listens again: there may have been messages meanwhile. */
  readonly onGap: () => void;
};

const PAUSE = 250;
const LONGEST_PAUSE = 5000;

/** Listens on a connection of its own, and on another one when that is lost, until it is closed. */
export async function createListener(pools: Pools, options: ListenerOptions): Promise<Listener> {
  const { onGap, onMessage, replica } = options;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let client = await connect();
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await client.end().catch(() => undefined);
    },
  };

  async function connect(): Promise<pg.Client> {
    const made = pools.client(pools.listens(replica));
    let isUp = false;
    made.on('notification', ({ payload = '' }) => onMessage(payload));
    made.on('error', () => undefined);
    made.on('end', () => {
      if (isUp && !isClosed) again(PAUSE);
    });
    try {
      await made.connect();
      await made.query(`listen ${SCHEMA}`);
      isUp = true;
      return made;
    } catch (error) {
      await made.end().catch(() => undefined);
      throw error;
    }
  }

  function again(pause: number): void {
    timer = setTimeout(async () => {
      try {
        client = await connect();
        if (isClosed) await client.end();
        else onGap();
      } catch {
        if (!isClosed) again(Math.min(pause * 2, LONGEST_PAUSE));
      }
    }, pause);
    timer.unref();
  }
}
