import type { SessionRecords, Store } from '../../store/store.ts';
import { SHARED } from '../address.ts';
import { forgetSnapshotsOf } from './snapshot-keys.ts';

/** A session that this replica holds, by when it was used. */
export type Held = {
  /** Milliseconds of the process. */
  usedAt: number;
  /** When the other replicas were last told. */
  touchedAt: number;
  /** Undefined until it is open. */
  readonly session?: { readonly from: string; readonly records: SessionRecords };
};

export type RetirementOptions<One extends Held> = {
  readonly store: Store;
  /** In the order of their last use. */
  readonly held: Map<string, One>;
  readonly max: number;
  /** Milliseconds. */
  readonly idle: number;
  /** The snapshot that a session begins with when somebody uses it again. */
  readonly start: string;
};

/** There are as many sessions with writes as there can be: a new one would end one of them. */
export class SessionsFull extends Error {
  override name = 'SessionsFull';

  constructor(max: number) {
    super(
      `All ${max} sessions have changed records, so none is dropped for a new one. Delete one with DELETE /__mock/sessions/NAME, reset one with POST /__mock/sessions/NAME/__mock/reset, or start the mock with a higher --max-sessions.`,
    );
  }
}

/** Lets sessions go that nobody used for a while, and of those without writes the one unused longest if there are too many. */
export type Retirement = {
  /** A session is used now. */
  use(name: string): void;
  /** Makes room for one more. Throws SessionsFull if all have writes. */
  makeRoom(): void;
  /** Makes room in a store that several mocks share, unless the session is there. Rejects with SessionsFull. */
  makeSharedRoom(name: string): Promise<void>;
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
  const { held, idle, max, start, store } = options;
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
      for (const [name, one] of held) {
        if (held.size < max) return;
        if (replicas || isDisposable(one)) retire(name);
      }
      if (held.size >= max) throw new SessionsFull(max);
    },
    async makeSharedRoom(name) {
      const isFull = async () => {
        const others = (await store.sessions()).filter((one) => one !== SHARED);
        return others.length >= max && !others.includes(name);
      };
      if (!(await isFull())) return;
      await retireOthers(max - 1);
      if (await isFull()) throw new SessionsFull(max);
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

  /** Whether the session would be the same if somebody used it again. */
  function isDisposable({ session }: Held): boolean {
    return session?.from === start && session.records.isChanged?.() === false;
  }

  function retire(name: string): void {
    if (replicas) held.delete(name);
    else drop(name).catch(() => {});
  }

  async function retireOthers(most = max): Promise<void> {
    const limits = { idle, max: most, kept: SHARED, start };
    for (const name of (await replicas?.retire(limits)) ?? []) {
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
