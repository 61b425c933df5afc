import type { Handle } from '../../decoration.ts';
import type { Engine } from '../../engine/engine.ts';
import type { SessionRecords, Store } from '../../store/store.ts';
import { SHARED } from '../address.ts';
import type { Faults } from '../faults/faults.ts';
import type { Journal } from '../journal/journal.ts';
import type { SessionClock } from './clock.ts';

/** An isolated copy of the mock's state, with all that belongs to it. */
export type Session = {
  readonly name: string;
  /** The snapshot it began with. */
  readonly from: string;
  readonly records: SessionRecords;
  readonly engine: Engine;
  readonly clock: SessionClock;
  readonly faults: Faults;
  readonly journal: Journal;
  /** Answers requests to the contract, without faults and journal. */
  readonly answer: Handle;
};

/** What sessions have beside their records, by name. */
export type Ongoing = Map<string, Pick<Session, 'clock' | 'faults' | 'journal'>>;

export type SessionsOptions = {
  readonly store: Store;
  /** Puts a session together over its records. */
  readonly assemble: (name: string, records: SessionRecords) => Session;
  /** The most sessions beside the shared one; the one unused longest goes. */
  readonly max: number;
  /** Milliseconds after which a session that nobody used goes. */
  readonly idle: number;
};

export type Sessions = {
  readonly shared: Session;
  /** The session of a name, made when it is new. */
  use(name: string): Promise<Session>;
  has(name: string): boolean;
  /** Makes a session of a snapshot; false when there is one of the name. */
  create(name: string, from: string): Promise<boolean>;
  delete(name: string): Promise<boolean>;
  list(): readonly Session[];
  /** Back to how the session began: records, ids, clock, faults, journal. */
  reset(session: Session): Promise<void>;
};

/** The records that the mock starts with. */
export const START = '@start';

export async function createSessions(options: SessionsOptions): Promise<Sessions> {
  const { assemble, idle, max, store } = options;
  type Held = { readonly opening: Promise<Session>; session?: Session; usedAt: number };
  /** In the order of their last use. */
  const held = new Map<string, Held>();
  const shared = await open(SHARED, START);
  for (const name of await store.sessions()) if (name !== SHARED) await hold(name, START).opening;
  return {
    shared,
    use: async (name) => (name === SHARED ? shared : hold(name, START).opening),
    has: (name) => name === SHARED || held.has(name),
    create: async (name, from) => {
      expire();
      if (name === SHARED || held.has(name)) return false;
      await hold(name, from).opening;
      return true;
    },
    delete: async (name) => {
      const known = held.has(name);
      await drop(name);
      return known;
    },
    list: () => {
      expire();
      return [shared, ...[...held.values()].flatMap(({ session }) => session ?? [])];
    },
    reset: async ({ clock, faults, from, journal, name }) => {
      await store.restore(name, from);
      clock.reset();
      faults.reset();
      journal.clear();
    },
  };

  function hold(name: string, from: string): Held {
    const now = performance.now();
    const known = held.get(name);
    if (known) {
      held.delete(name);
      held.set(name, known);
      known.usedAt = now;
      return known;
    }
    expire();
    for (const oldest of held.keys()) {
      if (held.size < max) break;
      drop(oldest).catch(ignore);
    }
    const made: Held = { opening: open(name, from), usedAt: now };
    made.opening.then(
      (session) => {
        made.session = session;
      },
      () => held.delete(name),
    );
    held.set(name, made);
    return made;
  }

  async function open(name: string, from: string): Promise<Session> {
    return assemble(name, await store.open(name, from));
  }

  function expire(): void {
    const limit = performance.now() - idle;
    for (const [name, { usedAt }] of held) {
      if (usedAt > limit) break;
      drop(name).catch(ignore);
    }
  }

  async function drop(name: string): Promise<void> {
    if (held.delete(name)) await store.drop(name);
  }
}

/** What a store has no room to forget stays there. */
function ignore(): void {}
