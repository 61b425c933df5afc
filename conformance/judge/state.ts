import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { type Answer, isAccepted, isRefused } from '../api/answer.ts';
import { type Api, type Call, createApi, type Watcher } from '../api/api.ts';
import { type Meaning, meaningOf, type Seen } from '../api/meaning.ts';
import { Withheld } from '../assert/failure.ts';
import type { WireCheck } from '../assert/wire-check.ts';
import { createKnownRecords, type KnownRecord, type LoggedWrite } from '../book/known-record.ts';
import { createTies, linkOf, type Ties } from '../book/ties.ts';
import type { SecondLooks } from '../plan/late-lists.ts';
import { unlessUnanswered } from '../target/no-answer.ts';
import { sideBySide } from '../target/side-by-side.ts';
import type { Target } from '../target/target.ts';
import type { Contradiction, Unjudged } from './contradiction.ts';
import type { Suspicion } from './culprits.ts';
import { createJudge, type Judge } from './judge.ts';
import type { Doubt } from './list-judge.ts';

/** The oldest, the newest, and one between them. */
const NOTED_RECORDS = 3;

const OWN_RECORDS = 2;

/** Records that a list shows otherwise than expected and that are retrieved to find the cause. */
const MOST_RETRIEVED = 100;

/** Records of others that are retrieved for one list, and for all lists of a model. */
const MOST_THEIRS = 5;
const MOST_THEIRS_OF_MODEL = 20;

/**
 * Records the accepted and the shown values of each record, and judges every exchange of a run by them.
 */
export type ExpectedState = Required<Omit<Watcher, 'again'>> & {
  /** Judges what can only be judged at the end. */
  readonly finish: () => void;
  /** The contradictions so far, one for each case. */
  readonly contradictions: () => readonly Contradiction[];
  /** The cases of which the whole run shows that its answers do not tell. */
  readonly unjudged: () => readonly Unjudged[];
  /** Returns at the end a line for each record that other clients created or changed, or may have. */
  readonly strangers: () => readonly string[];
  /** Changes of records of others that writes of the run may have made. */
  readonly suspects: () => readonly Suspicion[];
  /** The run tried it again, and this write did it. */
  readonly prove: (suspicion: Suspicion, by: LoggedWrite) => void;
  /** Lets writes be sent that are withheld since they may have done it. */
  readonly tryAgain: <T>(run: () => Promise<T>) => Promise<T>;
  /** Records that no case is about. They are read through the watchers; this one has to be among them. */
  bystanders(models: ReadonlySet<Model>, isStopped: () => boolean, watchers: readonly Watcher[]): Bystanders;
  /** The records that are held in memory, never more than some ten thousand. */
  readonly size: () => number;
};

export type StateOptions = Contract &
  Pick<SecondLookOptions, 'secondLooks'> & {
    readonly check: WireCheck;
    /** Where it looks again. */
    readonly target: Target;
    /** Maximum number of concurrent requests for bystanders. */
    readonly concurrency?: number | undefined;
  };

type Pending = {
  readonly meaning: Meaning;
  readonly asked: number;
  readonly end: ((at: number, seen: Seen | undefined) => void) | undefined;
  /** Records of others are read before and after it. */
  readonly isWatched: boolean;
};

export function createExpectedState(options: StateOptions): ExpectedState {
  const { catalogue, profile, target } = options;
  const known = createKnownRecords((field) => linkOf(field, catalogue, options.references));
  const ties = createTies(catalogue, options.references, known);
  const judge = createJudge({ ...options, known, ties });
  const api = createApi({ target, catalogue, profile: () => profile, watchers: [{ isOwn }] });
  /** Records of others, and the kinds of writes around which they were read. */
  const noted = new Map<Model, readonly number[]>();
  const watched = new Set<string>();
  let isTrying = false;
  const pending = new WeakMap<Call, Pending>();
  let tick = 0;
  const look = createSecondLook({ ...options, judge, ask: read });
  return {
    before,
    answered,
    isOwn,
    failed: (call) => pending.get(call)?.end?.(++tick, undefined),
    finish: judge.finish,
    contradictions: judge.contradictions,
    unjudged: judge.unjudged,
    strangers: judge.strangers.seen,
    suspects: judge.strangers.open,
    prove: judge.strangers.prove,
    tryAgain,
    bystanders: (models, isStopped, watchers) =>
      createBystanders({
        catalogue,
        concurrency: options.concurrency,
        models,
        api: createApi({ target, catalogue, profile: () => profile, watchers }),
        ties,
        ownOf: (model) =>
          [...known.of(model)].filter(({ isOwn, life }) => isOwn && life === 'live').map(({ id }) => id),
        isStopped,
        onNoted: (model, ids) => void noted.set(model, ids),
      }),
    size: known.size,
  };

  function isOwn(name: string, id: unknown): boolean {
    const model = catalogue.models.get(name);
    return model !== undefined && typeof id === 'number' && known.get(model, id)?.isOwn === true;
  }

  /** Waits only where it asks: every request comes through here. */
  function before(call: Call): Promise<void> | void {
    const meaning = meaningOf(catalogue, call);
    if (!meaning) return;
    const isRead = meaning.operation === 'retrieve' || meaning.operation === 'list';
    const why = isRead || isTrying ? undefined : judge.strangers.whyNoMore(meaning.model, meaning.operation);
    if (why !== undefined) throw new Withheld(why);
    const isWatched = !isRead && isFirst(meaning);
    const begin = () => {
      const end = isRead ? undefined : judge.begin(meaning);
      pending.set(call, { meaning, asked: ++tick, end, isWatched });
    };
    return isWatched ? unlessUnanswered(() => readNoted(meaning.model)).then(begin) : begin();
  }

  /** The first write of its kind to a model that has records of others. */
  function isFirst({ model, operation }: Meaning): boolean {
    const kind = `${operation} ${model.name}`;
    if (watched.has(kind) || !noted.has(model)) return false;
    watched.add(kind);
    return true;
  }

  /** Reads the oldest and the newest of the records of others. */
  async function readNoted(model: Model, proving = (read: () => void) => read()): Promise<void> {
    const ids = noted.get(model) ?? [];
    for (const id of new Set([ids[0], ids.at(-1)])) {
      if (id === undefined) continue;
      const seen = await read({ model, operation: 'retrieve', id, query: {} });
      proving(() => judge.read(seen));
    }
  }

  /** Repeats writes to finished models, to find the one that changed a record. */
  async function tryAgain<T>(run: () => Promise<T>): Promise<T> {
    isTrying = true;
    return run().finally(() => {
      isTrying = false;
    });
  }

  async function answered(call: Call, answer: Answer): Promise<void> {
    const { asked, end, isWatched, meaning } = pending.get(call) ?? {};
    pending.delete(call);
    if (!meaning || !asked) return;
    const seen = see(meaning, answer, asked);
    if (end) end(++tick, seen);
    else await unlessUnanswered(() => look(seen, call.request.query));
    if (isWatched) await unlessUnanswered(() => readNoted(meaning.model, judge.strangers.proving));
  }

  async function read(meaning: Meaning): Promise<Seen> {
    const { id, model, query } = meaning;
    const asked = ++tick;
    return see(
      meaning,
      await (id === undefined ? api.list(model.name, query) : api.retrieve(model.name, id)),
      asked,
    );
  }

  function see(meaning: Meaning, answer: Answer, asked: number): Seen {
    const one = meaning.operation === 'list' ? undefined : api.recordIn(answer);
    const records = meaning.operation === 'list' ? api.recordsIn(answer) : one && [one];
    const outcome = isAccepted(answer) ? 'accepted' : isRefused(answer) ? 'refused' : 'broken';
    const { exchange, status } = answer;
    return { meaning, outcome, status, records, exchange, asked, answered: ++tick };
  }
}

/**
 * Records that no case is about. They are read before the first write and after the last one; those of linked models
 * are also read when the cases of a model are done. The expected state judges them like any record.
 */
type Bystanders = {
  /** Three records of each model from the first page of its list. */
  note(): Promise<void>;
  /** Looks again at those of models, of the models near them, and at some of the suite's own. */
  look(after: ReadonlySet<Model>): Promise<void>;
};

type BystanderOptions = {
  readonly catalogue: Catalogue;
  /** The models that are written to. */
  readonly models: ReadonlySet<Model>;
  /** Its exchanges are judged. */
  readonly api: Api;
  readonly ties: Pick<Ties, 'areLinked'>;
  /** The ids of records of a model that the run made, and that are there. */
  readonly ownOf: (model: Model) => readonly number[];
  /** Told which records of a model were noted. */
  readonly onNoted?: (model: Model, ids: readonly number[]) => void;
  /** Whether the run is to end. */
  readonly isStopped: () => boolean;
  /** Requests that may be under way at once. */
  readonly concurrency?: number | undefined;
};

function createBystanders(options: BystanderOptions): Bystanders {
  const { api, concurrency, isStopped, models, ownOf, ties } = options;
  const noted = new Map<Model, readonly number[]>();
  return { note, look };

  async function note(): Promise<void> {
    await sideBySide(
      models,
      async (model) => {
        if (isStopped() || !has(model, 'list') || !has(model, 'retrieve')) return;
        const answer = await unlessUnanswered(() => api.list(model.name));
        const records = (answer && isAccepted(answer) && api.recordsIn(answer)) || [];
        const ids = someOf(records.map(({ id }) => id).filter((id) => typeof id === 'number'));
        noted.set(model, ids.filter(Number.isSafeInteger));
        options.onNoted?.(model, noted.get(model) ?? []);
        await retrieve(model, ids);
      },
      concurrency,
    );
  }

  async function look(after: ReadonlySet<Model>): Promise<void> {
    const near = [...models].filter((model) =>
      [...after].some((other) => model === other || ties.areLinked(model, other)),
    );
    await sideBySide(
      near,
      async (model) => {
        if (has(model, 'retrieve'))
          await retrieve(model, [...(noted.get(model) ?? []), ...ownOf(model).slice(0, OWN_RECORDS)]);
      },
      concurrency,
    );
  }

  async function retrieve(model: Model, ids: readonly number[]): Promise<void> {
    for (const id of ids) if (!isStopped()) await unlessUnanswered(() => api.retrieve(model.name, id));
  }
}

function has({ operations }: Model, operation: 'list' | 'retrieve'): boolean {
  return operations.includes(operation);
}

function someOf<T>(items: readonly T[]): T[] {
  return [...new Set([items[0], items[items.length >> 1], items.at(-1)])]
    .filter((item) => item !== undefined)
    .slice(0, NOTED_RECORDS);
}

type SecondLookOptions = {
  /** The waits before a list that shows something else than expected is asked for again. Default: none. */
  readonly secondLooks?: SecondLooks | undefined;
  readonly judge: Pick<Judge, 'read'>;
  /** Retrieves a record, or asks for a list. */
  readonly ask: (meaning: Meaning) => Promise<Seen>;
};

export function createSecondLook({ ask, judge, secondLooks }: SecondLookOptions) {
  let retrieved = 0;
  const theirsOf = new Map<Model, number>();
  return look;

  /**
   * A list that shows something else than expected: a retrieve tells whether it is the record that is wrong; and some
   * lists are late by a moment.
   */
  async function look(seen: Seen, query: Meaning['query'] = {}): Promise<void> {
    const doubts = judge.read(seen);
    if (doubts.length === 0) return;
    const looked = await retrieve(doubts);
    const still = judge.read(seen);
    if (still.length === 0) return;
    const isOwn = still.some(({ record }) => record.isOwn);
    const end = await secondLooks?.begin();
    let isLate = false;
    try {
      if (end) await delay(secondLooks?.ms);
      // Others may write to their records at any time, so such a record counts only if it is the same before and after
      // the list.
      const theirs = new Map(
        still
          .filter(({ record }) => !record.isOwn && looked.has(record))
          .map(({ record }) => [record, record.judged]),
      );
      if (!end && theirs.size === 0) {
        hold(still.filter(({ record }) => record.isOwn));
        return;
      }
      const again = await ask({ ...seen.meaning, query });
      const first = judge.read(again);
      // A change by others says nothing about the list.
      isLate = isOwn && first.length === 0 && still.some((doubt) => isShownOtherwise(doubt, seen, again));
      const lookedAgain = await retrieve(first.filter(({ record }) => theirs.has(record)));
      const isSame = ({ digest }: NonNullable<KnownRecord['judged']>, { record }: Doubt) =>
        record.judged?.digest === digest;
      hold(
        judge.read(again).filter((doubt) => {
          const before = theirs.get(doubt.record);
          const isKept = before !== undefined && lookedAgain.has(doubt.record) && isSame(before, doubt);
          return doubt.record.isOwn || isKept;
        }),
      );
    } finally {
      end?.(isLate ? seen.meaning.model.name : undefined);
    }
  }

  /** A retrieve tells whether it is the record that is wrong. Returns those that were retrieved. */
  async function retrieve(doubts: readonly Doubt[]): Promise<ReadonlySet<KnownRecord>> {
    const own = doubts.filter(({ record }) => record.isOwn);
    const theirs = doubts.filter(({ record }) => !record.isOwn).slice(0, MOST_THEIRS);
    const looked = new Set<KnownRecord>();
    for (const { record } of [...own, ...theirs.filter(({ record }) => isFew(record))]) {
      const { id, model } = record;
      if (++retrieved > MOST_RETRIEVED) break;
      judge.read(await ask({ model, operation: 'retrieve', id, query: {} }));
      looked.add(record);
    }
    return looked;
  }

  /** Counts a record of others. */
  function isFew({ model }: KnownRecord): boolean {
    const count = (theirsOf.get(model) ?? 0) + 1;
    theirsOf.set(model, count);
    return count <= MOST_THEIRS_OF_MODEL;
  }
}

/** Whether two lists show a record of the run in different ways. */
function isShownOtherwise({ record: { id, isOwn } }: Doubt, one: Seen, other: Seen): boolean {
  const rowsOf = ({ records = [] }: Seen) => records.filter((row) => row.id === id);
  return isOwn && !isDeepStrictEqual(rowsOf(one), rowsOf(other));
}

function hold(doubts: readonly Doubt[]): void {
  for (const doubt of doubts) doubt.hold();
}
