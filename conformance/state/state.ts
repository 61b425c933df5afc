import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { type Answer, isAccepted, isRefused } from '../api/answer.ts';
import { type Call, createApi, type Watcher } from '../api/api.ts';
import { Withheld } from '../assert/failure.ts';
import type { WireCheck } from '../assert/wire-check.ts';
import type { Target } from '../target/target.ts';
import { type Bystanders, createBystanders } from './bystanders.ts';
import type { Contradiction } from './judge/contradiction.ts';
import type { Suspicion } from './judge/culprits.ts';
import { createJudge } from './judge/judge.ts';
import { createKnownRecords } from './known-record.ts';
import { type Meaning, meaningOf } from './request-meaning.ts';
import { createSecondLook, type SecondLookOptions } from './second-look.ts';
import type { Seen } from './seen.ts';
import { createTies, linkOf } from './ties.ts';
import type { LoggedWrite } from './write-log.ts';

/**
 * What the run knows of each record: what was sent and accepted, and what was shown. Every exchange is judged against
 * it, whichever case asked.
 */
export type ExpectedState = Required<Omit<Watcher, 'again'>> & {
  /** Judges what can only be judged at the end. */
  readonly finish: () => void;
  /** What was contradicted so far, each case once. */
  readonly contradictions: () => readonly Contradiction[];
  /** What others made or changed meanwhile, or may have, a line each; known at the end. */
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
  Pick<SecondLookOptions, 'recheckDelay' | 'onLate'> & {
    readonly check: WireCheck;
    /** Where it looks again. */
    readonly target: Target;
    /** Requests for bystanders that may be under way at once. */
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
    return isWatched ? readNoted(meaning.model).then(begin) : begin();
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

  /** Sends writes to models to which no more is written, to find out which of them did it. */
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
    else await look(seen, call.request.query);
    if (isWatched) await readNoted(meaning.model, judge.strangers.proving);
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
