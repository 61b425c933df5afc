import { isDeepStrictEqual } from 'node:util';
import type { Catalogue } from '../../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../../spec/catalogue/roles.ts';
import type { Contract } from '../../../spec/contract.ts';
import { onceFor } from '../../../spec/once-for.ts';
import type { Profile } from '../../../spec/profile/profile.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Decoration, Handle } from '../../decoration.ts';
import { createEngine, type Engine } from '../../engine/engine.ts';
import { type RecordSemantics, readSemantics } from '../../engine/relations.ts';
import { withoutBodyForHead } from '../../http/http.ts';
import { type Allowance, createAllowance, type Holder, type MemoryBudget } from '../../memory-budget.ts';
import type { ContractService, createServices } from '../../operations/contract-service.ts';
import type { Reply } from '../../operations/reply.ts';
import { createRateLimit } from '../../operations/router.ts';
import {
  createQueue,
  type Image,
  type Records,
  type Replicas,
  type SessionRecords,
  StoreAway,
} from '../../store/store.ts';
import { SHARED } from '../address.ts';
import { ControlError } from '../control-error.ts';
import type { FaultRule } from '../faults/fault-rule.ts';
import { createFaults, type Faults } from '../faults/faults.ts';
import { createJournal, createJournalFeed } from '../journal/journal.ts';
import type { ChangeKind, Write } from '../records/records-api.ts';
import {
  type Conditions,
  createSessionClock,
  createSessionProfile,
  type SessionClock,
  type SessionProfile,
  shareConditions,
} from './conditions.ts';

/** An isolated copy of the mock's state. */
export type Session = {
  readonly name: string;
  /** The snapshot it began with. */
  readonly from: string;
  readonly records: SessionRecords;
  readonly engine: Engine;
  /** The last writes, which can be undone. */
  readonly writes: WriteLog;
  readonly clock: SessionClock;
  readonly faults: Faults;
  /** The settings, which a client can change. */
  readonly profile: SessionProfile;
  /** Runs the changes to its clock, its faults, and its profile. */
  readonly conditions: Conditions;
  readonly journal: ReturnType<typeof createJournal>;
  /** Answers requests to the contract, without faults and journal. */
  readonly answer: Handle;
};

/** The data of sessions in addition to their records, by name. */
export type Ongoing = Map<string, Pick<Session, 'clock' | 'faults' | 'journal'>>;

/** Returns a function that opens a session with its records. */
export function createSessionOpener(
  options: {
    readonly contract: Contract;
    readonly semantics: RecordSemantics;
    readonly decoration: Decoration;
    readonly serviceUnder: ReturnType<typeof createServices>;
    readonly clock: () => Date;
    readonly budget: MemoryBudget | undefined;
    readonly replicas: Replicas | undefined;
    /** Hides the records of the models that a service has. */
    readonly hide: ((records: SessionRecords) => SessionRecords) | undefined;
    /** Aborts when the store closes. */
    readonly closed: AbortSignal;
    readonly fail: (error: unknown) => Reply;
  },
  start: {
    readonly now?: Date | undefined;
    readonly faults?: readonly FaultRule[] | undefined;
    readonly seed?: number | undefined;
    readonly journal?: number | undefined;
    readonly maxMemory?: number | undefined;
    readonly ongoing?: Ongoing | undefined;
  },
): (name: string, records: SessionRecords) => Promise<Session> {
  const { budget, clock: base, closed, contract, decoration, fail, hide, replicas, serviceUnder } = options;
  const { handle: decorate, readDraft } = decoration;
  const answerOf = onceFor(({ answerWith }: ContractService) => answerWith(readDraft));
  const semanticsUnder = onceFor((profile: Profile) => {
    if (profile === contract.profile) return options.semantics;
    return { ...readSemantics({ ...contract, profile }), isElsewhere: options.semantics.isElsewhere };
  });
  const { journal: size = 1000, ongoing, seed = 1 } = start;
  const allowance = createAllowance(start.maxMemory);
  const kindOf = createChangeKinds(contract.catalogue);
  // The journals of a replaced mock still have its feed.
  const feed = ongoing?.get(SHARED)?.journal.feed ?? createJournalFeed(replicas?.number);
  return async (session, opened) => {
    const stored = hide?.(opened) ?? opened;
    const kept = ongoing?.get(session);
    // A later session of the name starts new.
    ongoing?.delete(session);
    const clock = kept?.clock ?? createSessionClock(base, start.now);
    const writes = createWriteLog({ records: stored, allowance, time: clock.time, kindOf });
    const records: SessionRecords = {
      ...stored,
      // The budget doesn't limit an undo, because its records are in memory already.
      transaction: async (work) => {
        // A request can outlast the mock.
        if (closed.aborted) throw new StoreAway('The mock has stopped. Nothing was stored.');
        return writes.transaction(work, budget?.isSpent() ? budget.refuseLarger : undefined);
      },
    };
    const profile = createSessionProfile(contract);
    // The parts that depend on the profile, which can change.
    const partsUnder = onceFor((own: Profile) => {
      const plainEngine = createEngine({ semantics: semanticsUnder(own), records, clock: clock.now });
      const engine = decoration.engine?.(plainEngine) ?? plainEngine;
      const backend = { engine, exceedsRate: createRateLimit(own['limits.rate'], base), time: clock.time };
      const service = serviceUnder(own);
      const handle = answerOf(service)(backend);
      const plainAnswer: Handle = async (request) => {
        try {
          return withoutBodyForHead(request, await handle(request));
        } catch (error) {
          return fail(error);
        }
      };
      const answer = decorate?.(plainAnswer, { engine, replies: service.replies }) ?? plainAnswer;
      return { engine, answer };
    });
    const faults = kept?.faults ?? createFaults(start.faults ?? [], seed);
    const conditions = shareConditions(session, { clock, faults, profile }, replicas);
    await conditions.refresh();
    return {
      name: session,
      from: stored.from,
      records,
      get engine() {
        return partsUnder(profile.current).engine;
      },
      writes,
      clock,
      faults,
      profile,
      conditions,
      journal: kept?.journal ?? createJournal({ size, allowance, session, feed }),
      get answer() {
        return partsUnder(profile.current).answer;
      },
    };
  };
}

export const systemClock = () => new Date();

/** Maximum number of writes that can be undone. */
const MOST_WRITES = 50;

/** Maximum size of the writes of a session. */
const MOST_BYTES = 16 * 2 ** 20;

type KeptWrite = {
  readonly id: number;
  readonly time: number;
  readonly images: readonly Image[];
  readonly bytes: number;
};

type WriteLog = ReturnType<typeof createWriteLog>;

/** Keeps the last writes of a session, so that they can be undone. */
export function createWriteLog(options: {
  readonly records: SessionRecords;
  readonly allowance: Allowance;
  /** Returns the time of the session, in milliseconds since 1970. */
  readonly time: () => number;
  /** Returns what happened to a record of a model. */
  readonly kindOf: (image: Image) => ChangeKind;
}) {
  const { allowance, kindOf, records, time } = options;
  const kept: KeptWrite[] = [];
  let lastId = 0;
  const inTurn = createQueue();
  /** Why there are fewer writes than the session had. */
  let lost = '';
  const holder: Holder = {
    held: 0,
    letGo: () => {
      holder.held -= kept.shift()?.bytes ?? 0;
      lost = ', because the mock dropped writes to stay within its memory limit';
    },
  };
  const clear = (why = '') => {
    kept.length = 0;
    lost = why;
    allowance.hold(holder, 0);
  };
  const show = ({ id, images, time: at }: KeptWrite): Write => ({
    id,
    at: new Date(at).toISOString(),
    records: images.map((image) => ({ model: image.model, id: image.id, change: kindOf(image) })),
  });
  return {
    /** Runs work in a transaction, and keeps its writes. `check` throws for a record that must not be stored. */
    transaction: async <Result>(
      work: (own: Records) => Promise<Result>,
      check?: MemoryBudget['refuseLarger'],
    ): Promise<Result> => {
      const [result, images] = await records.transaction(async (own) => {
        const noted = noteWrites(own, check);
        return [await work(noted.records), noted.images()] as const;
      });
      add(images);
      return result;
    },
    /** Returns the writes that can be undone, the newest first. */
    list: (): Write[] => kept.map(show).reverse(),
    /** Undoes the newest write, and returns it. Rejects with ControlError 409 if a record has changed since then. */
    undo: (): Promise<Write> => inTurn(undoNewest),
    clear,
  };

  /** Keeps the records of a write; undefined if it cleared a model, so that no earlier write can be undone. */
  function add(images: readonly Image[] | undefined): void {
    if (images?.length === 0) return;
    const bytes = images?.reduce((sum, { after, before }) => sum + sizeOf(before) + sizeOf(after), 0) ?? 0;
    if (!images || bytes > MOST_BYTES) {
      clear(images && ', because a write was too large to keep');
      return;
    }
    lastId += 1;
    kept.push({ id: lastId, time: time(), images, bytes });
    let total = holder.held + bytes;
    while (kept.length > MOST_WRITES || total > MOST_BYTES) total -= kept.shift()?.bytes ?? 0;
    allowance.hold(holder, total);
  }

  async function undoNewest(): Promise<Write> {
    const write = await records.transaction(async (own) => {
      const newest = kept.at(-1);
      if (!newest) throw new ControlError(409, `There is no write to undo${lost}.`);
      for (const { after, id, model } of newest.images)
        if (!isSame(await own.get(model, id), after))
          throw new ControlError(
            409,
            `The last write can't be undone, because ${model} ${id} has changed since then. Change or reset the records instead.`,
          );
      for (const { before, id, model } of newest.images)
        await (before ? own.put(model, before) : own.remove(model, id));
      return newest;
    });
    const at = kept.indexOf(write);
    if (at >= 0) {
      kept.splice(at, 1);
      allowance.hold(holder, holder.held - write.bytes);
    }
    return show(write);
  }
}

/** Notes the versions of written records, none if the work clears a model. */
function noteWrites(own: Records, check?: MemoryBudget['refuseLarger']) {
  let images: Map<string, Image> | undefined = new Map();
  const note = async (model: string, id: number, after: RecordValues | undefined) => {
    const key = `${model} ${id}`;
    const known = images?.get(key);
    const last = known ? known.after : await own.get(model, id);
    if (after) check?.(last, after);
    images?.set(key, { model, id, before: known ? known.before : last, after });
  };
  const records: Records = {
    ...own,
    put: async (model, record) => {
      await note(model, Number(record.id), record);
      await own.put(model, record);
    },
    remove: async (model, id) => {
      await note(model, id, undefined);
      await own.remove(model, id);
    },
    clear: async (model) => {
      images = undefined;
      await own.clear(model);
    },
  };
  return {
    records,
    images: () => images && [...images.values()].filter(({ after, before }) => before !== after),
  };
}

/** Returns about the number of bytes that a record takes. */
function sizeOf(record: RecordValues | undefined): number {
  return record ? JSON.stringify(record).length * 2 : 0;
}

/** Whether two versions of a record are the same. A database can change the form of a value, such as that of -0. */
export function isSame(one: RecordValues | undefined, other: RecordValues | undefined): boolean {
  if (one === other || one === undefined || other === undefined) return one === other;
  return isDeepStrictEqual(one, other) || JSON.stringify(one) === JSON.stringify(other);
}

/** Returns a function that says what happened to a record. A record that was marked as deleted counts as deleted. */
export function createChangeKinds({ models }: Catalogue): (image: Image) => ChangeKind {
  return ({ after, before, ...image }) => {
    const model = models.get(image.model);
    const isGone = (record: RecordValues | undefined) =>
      record === undefined || (model !== undefined && isDeleted(model, record));
    if (before === undefined) return 'created';
    return isGone(after) && !isGone(before) ? 'deleted' : 'changed';
  };
}
