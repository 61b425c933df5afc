import type { Handle } from '../../decoration.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Allowance } from '../../memory-budget.ts';
import type { SessionRecords, Store } from '../../store/store.ts';
import { SHARED } from '../address.ts';
import type { Faults } from '../faults/faults.ts';
import type { Journal } from '../journal/journal.ts';
import type { SessionClock } from './clock.ts';
import type { Conditions } from './conditions.ts';
import { createRetirement, type Held } from './retirement.ts';

/** An isolated copy of the mock's state, with all that belongs to it. */
export type Session = {
  readonly name: string;
  /** The snapshot it began with. */
  readonly from: string;
  readonly records: SessionRecords;
  readonly engine: Engine;
  readonly clock: SessionClock;
  readonly faults: Faults;
  /** What changes its clock or its faults goes through here. */
  readonly conditions: Conditions;
  readonly journal: Journal;
  /** The bytes that the journals and event streams of all sessions share. */
  readonly allowance: Allowance;
  /** Answers requests to the contract, without faults and journal. */
  readonly answer: Handle;
};

/** What sessions have beside their records, by name. */
export type Ongoing = Map<string, Pick<Session, 'clock' | 'faults' | 'journal'>>;

export type Sessions = {
  readonly shared: Session;
  /** The session of a name, made when it is new. Rejects with SessionsFull, as `create` does. */
  use(name: string): Promise<Session>;
  /** Whether there is a session of a name, in any replica. */
  has(name: string): Promise<boolean>;
  /** Makes a session of a snapshot; false when there is one of the name. */
  create(name: string, from: string): Promise<boolean>;
  delete(name: string): Promise<boolean>;
  /** Those of this replica; the shared one is first, as it is in all. */
  list(): readonly Session[];
  all(): Promise<readonly Pick<Session, 'name' | 'from'>[]>;
  /** The session of a name, if this replica has it. */
  held(name: string): Promise<Session | undefined>;
  /** Lets go of a session that is dropped, or of all, which may have been: with what this replica noted of them. */
  letGo(name?: string): void;
  /** Back to how the session began: records, ids, clock, faults. Its journal stays. */
  reset(session: Session): Promise<void>;
};

/** The records that the mock starts with. */
export const START = '@start';

type Opened = { readonly session: Session; readonly isNew: boolean };
type HeldSession = Held & { readonly opening: Promise<Opened>; session?: Session };

export async function createSessions(options: {
  readonly store: Store;
  /** Puts a session together over its records. */
  readonly assemble: (name: string, records: SessionRecords) => Promise<Session>;
  /** The most sessions beside the shared one; of those without writes the one unused longest goes. */
  readonly max: number;
  /** Milliseconds after which a session that nobody used goes. */
  readonly idle: number;
}): Promise<Sessions> {
  const { assemble, store } = options;
  const { replicas } = store;
  const held = new Map<string, HeldSession>();
  const retirement = createRetirement({ ...options, held, start: START });
  const { session: shared } = await open(SHARED, START);
  // What others use is opened when somebody asks for it here.
  if (!replicas)
    for (const name of await store.sessions()) if (name !== SHARED) await keep(name, START).opening;
  return {
    shared,
    use: async (name) => (name === SHARED ? shared : (await hold(name, START).opening).session),
    create: async (name, from) => {
      retirement.expire();
      if (name === SHARED || held.has(name)) return false;
      return (await hold(name, from).opening).isNew;
    },
    has,
    delete: async (name) => {
      if (name === SHARED || !(await has(name))) return false;
      await retirement.drop(name);
      return true;
    },
    list,
    all: async () => {
      if (!replicas) return list();
      retirement.expire();
      const others = (await replicas.sessions()).filter(({ name }) => name !== SHARED);
      return [shared, ...others];
    },
    held: async (name) => (name === SHARED ? shared : (await held.get(name)?.opening)?.session),
    letGo: (name) => {
      if (name !== undefined) {
        held.delete(name);
        return;
      }
      held.clear();
      // What can't be read now is read again when it is asked for.
      shared.conditions.refresh().catch(() => {});
    },
    reset: async ({ clock, conditions, faults, from, name }) => {
      await store.restore(name, from);
      await conditions.change(() => {
        clock.reset();
        faults.reset();
      });
    },
  };

  async function has(name: string): Promise<boolean> {
    if (name === SHARED) return true;
    return replicas ? (await store.sessions()).includes(name) : held.has(name);
  }

  function list(): Session[] {
    retirement.expire();
    return [shared, ...[...held.values()].flatMap(({ session }) => session ?? [])];
  }

  /** Throws SessionsFull. */
  function hold(name: string, from: string): HeldSession {
    const known = held.get(name);
    if (known) {
      retirement.use(name);
      return known;
    }
    // The kit's own sessions last only for moments.
    if (!name.startsWith('@')) retirement.makeRoom();
    return keep(name, from);
  }

  function keep(name: string, from: string): HeldSession {
    const now = performance.now();
    const made: HeldSession = { opening: open(name, from), usedAt: now, touchedAt: now };
    made.opening.then(
      ({ session }) => {
        made.session = session;
        // It may have taken long itself, and is about to be used.
        retirement.expireOthers();
      },
      () => {
        if (held.get(name) === made) held.delete(name);
      },
    );
    held.set(name, made);
    return made;
  }

  async function open(name: string, from: string): Promise<Opened> {
    if (replicas && name !== SHARED && !name.startsWith('@')) await retirement.makeSharedRoom(name);
    // Before those go that nobody used, whichever replica sees to it.
    await replicas?.touch(name);
    const records = await store.open(name, from);
    return { session: await assemble(name, records), isNew: records.isNew ?? true };
  }
}
