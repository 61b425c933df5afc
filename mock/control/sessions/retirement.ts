import type { Store } from '../../store/store.ts';
import { SHARED } from '../address.ts';
import { forgetSnapshotsOf } from './snapshot-keys.ts';

/** A session that this replica holds, by when it was used. */
export type Held = {
  /** Milliseconds of the process. */
  usedAt: number;
  /** When the other replicas were last told. */
  touchedAt: number;
};

export type RetirementOptions<One extends Held> = {
  readonly store: Store;
  /** In the order of their last use. */
  readonly held: Map<string, One>;
  readonly max: number;
  /** Milliseconds. */
  readonly idle: number;
};

/** Lets sessions go that nobody used for a while, and the one unused longest where there are too many. */
export type Retirement = {
  /** A session is used now. */
  use(name: string): void;
  /** Makes room for one more. */
  makeRoom(): void;
  /** Lets go of all whose time is over, those of other replicas too. */
  expire(): void;
  /** Lets go of those that no replica used for long, as the store knows. */
  expireOthers(): void;
  drop(name: string): Promise<void>;
};

/** Of the time after which a session goes, how often others are told that it is in use. */
const TOUCHES = 4;

/** Of several replicas none drops by itself what another may be using: the store knows who uses what. */
export function createRetirement<One extends Held>(options: RetirementOptions<One>): Retirement {
  const { held, idle, max, store } = options;
  const { replicas } = store;
  return {
    use(name) {
      const known = held.get(name);
      if (!known) return;
      held.delete(name);
      held.set(name, known);
      known.usedAt = performance.now();
      if (!replicas || known.usedAt - known.touchedAt < idle / TOUCHES) return;
      known.touchedAt = known.usedAt;
      replicas.touch(name).catch(() => {});
    },
    makeRoom() {
      retireUnused();
      for (const oldest of held.keys()) {
        if (held.size < max) break;
        retire(oldest);
      }
    },
    expire() {
      retireUnused();
      expireOthers();
    },
    expireOthers,
    drop,
  };

  function expireOthers(): void {
    retireOthers().catch(() => {});
  }

  function retireUnused(): void {
    const limit = performance.now() - idle;
    for (const [name, { usedAt }] of held) {
      if (usedAt > limit) break;
      retire(name);
    }
  }

  function retire(name: string): void {
    if (replicas) held.delete(name);
    else drop(name).catch(() => {});
  }

  async function retireOthers(): Promise<void> {
    for (const name of (await replicas?.retire(idle, max, SHARED)) ?? []) {
      held.delete(name);
      await forgetSnapshotsOf(name, store);
      await replicas?.ask({ kind: 'drop', session: name });
    }
  }

  /** What a store can't forget now stays there. */
  async function drop(name: string): Promise<void> {
    held.delete(name);
    await store.drop(name);
    await forgetSnapshotsOf(name, store);
    await replicas?.ask({ kind: 'drop', session: name });
  }
}
