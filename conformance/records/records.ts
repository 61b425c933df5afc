import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { createRecordCodec, type RecordValues } from '../../spec/wire/record-codec.ts';
import { type Api, createApi, type Watcher } from '../api/api.ts';
import { fetchList, type Listing } from '../api/listing.ts';
import type { BodyCheck } from '../assert/body-check.ts';
import { Blocked } from '../assert/failure.ts';
import type { WireCheck } from '../assert/wire-check.ts';
import { createBook } from '../book/book.ts';
import type { Made } from '../book/identity.ts';
import type { Journal } from '../journal/journal.ts';
import type { Exchange } from '../target/exchange.ts';
import { Interrupted } from '../target/no-answer.ts';
import type { Target } from '../target/target.ts';
import type { Bindings } from './bindings.ts';
import { readList } from './ids.ts';
import { createLinks, type Links } from './links/links.ts';
import { type ModelRecords, openModelRecords } from './model-records.ts';
import type { RecordsCore, ShownRecord } from './records-core.ts';
import { createRemoval } from './removal.ts';
import { watchUnanswered } from './unanswered.ts';
import { createSampleNumbers, createSamples, type Samples } from './values/samples.ts';
import { createFieldPolicy } from './values/values.ts';

/** What makes and reads records of one model, in one case or for one question. */
export type Workplace = {
  /** Sends requests; each exchange is recorded. */
  readonly api: Api;
  readonly records: ModelRecords;
  readonly samples: Samples;
};

/** The records that a run makes of the target's models, and what it knows of the others. */
export type Records = Pick<RecordsCore, 'codec' | 'refused'> & {
  readonly links: Pick<Links, 'prepare' | 'prepareFields'>;
  /** `key` names the case or question: equal keys get equal samples in each run. */
  open(model: Model, key: string, place: Place): Workplace;
  /** From now on each key of the model gets its first samples again, as far as they may come twice. */
  repeatSamples(model: Model): void;
  /** Removes what is in a list, newest first; never throws. */
  remove(made: Made[]): Promise<void>;
  /** Removes what is in lists and what others link to, and looks again for what seemed to be still there. Never throws. */
  finish(lists: readonly Made[][]): Promise<void>;
  /** How many records the list of a model shows over its pages. */
  lengthOf(model: Model): Promise<number>;
  /** What could not be removed, as `model/id`. */
  leftovers(): readonly string[];
  /** What there is to remove still, as `model/id`, beside what stands in the lists. */
  unremoved(made: readonly Made[]): readonly string[];
};

/** Where what is made belongs to. */
export type Place = {
  /** Takes what is made; left out, it is removed at the end of the run. */
  readonly made?: Made[];
  /** Others that hold records which a case may delete. */
  readonly others?: readonly Made[][];
  readonly record?: (exchange: Exchange) => void;
  /** See the requests of this place alone, beside those that see all. */
  readonly watchers?: readonly Watcher[] | undefined;
};

/** What a user may say of the records that are made. */
export type MakingOptions = {
  /** Tells what this run makes from what others made: it stands in texts and moves numbers. None when absent. */
  readonly tag?: string | undefined;
  /** Values that are wanted in all that is made, by `model.field`; canonical. */
  readonly pins?: ReadonlyMap<string, Value> | undefined;
  /** Takes note of what is made before it is, so that it can be removed whatever happens. */
  readonly journal?: Journal | undefined;
  /** No other run has the tag: what holds it, and no answer told of, is this run's to remove. */
  readonly tagIsUnique?: boolean | undefined;
  /** Keeps more than so many records from being made; learning and checking may share it. */
  readonly limit?: Watcher | undefined;
};

export type RecordsOptions = MakingOptions & {
  /** What is known now: of the profile more and more may be. */
  readonly plan: () => Contract;
  readonly target: Target;
  readonly check: () => WireCheck;
  /** Throws when a body that should be valid is not. */
  readonly checkBody?: BodyCheck;
  /** Fixes the samples, together with the tag. */
  readonly seed: number;
  /** Ids to link to instead of records that are made or found. */
  readonly bindings?: Bindings | undefined;
  /** See every request. */
  readonly watchers?: readonly Watcher[] | undefined;
  /** Milliseconds before each late look at what seems not to be removed; a target in this process needs none. */
  readonly looks?: readonly number[] | undefined;
  /** The list of a model as it was seen before anything was made. */
  readonly seenBefore?: (model: Model) => Promise<Listing | undefined>;
  /** Takes any id, wherever an answer shows it: the profile, which says where it stands, is not known yet. */
  readonly anyId?: boolean;
  readonly onMade?: (made: ShownRecord) => void;
  /** Requests that may be under way at once before the first case and after the last one. */
  readonly concurrency?: number | undefined;
  /** From then on cases send nothing, and only what was made is removed. */
  readonly signal?: AbortSignal | undefined;
};

export function createRecords(options: RecordsOptions): Records {
  const { check, looks, plan, seenBefore, target, watchers = [] } = options;
  const { catalogue } = plan();
  const profile = () => plan().profile;
  const policy = createFieldPolicy({ ...options, plain: options.anyId });
  const book = createBook(plan(), createApi({ target, catalogue, profile, watchers }), {
    list,
    seenBefore,
    identifies: policy.identifies,
    read: (model, wire) => check().read(model, wire),
  });
  const unanswered = watchUnanswered(catalogue, options);
  const own: Watcher[] = [unanswered, options.limit ?? {}];
  if (options.journal) own.push(options.journal.watch(catalogue, book.wasThere));
  /** After the signal, only what removes records is sent. */
  const stopping = (isCase: boolean): Watcher => ({
    before({ request: { method } }) {
      if (options.signal?.aborted && (isCase || !['GET', 'DELETE'].includes(method))) throw new Interrupted();
    },
  });
  const api = apiFor();
  const numbers = createSampleNumbers(options.seed, options.tag);
  const linked: Made[] = [];
  const links = createLinks({
    plan,
    bindings: options.bindings,
    concurrency: options.concurrency,
    make: async (model) => {
      const { records, samples } = open(model, 'links', {});
      return (await records.make(samples.neutral(samples.values('required')))).id;
    },
    see,
    oneEach: options.anyId === true,
  });
  const removal = createRemoval({
    catalogue,
    api,
    concurrency: options.concurrency,
    book,
    mayHoldUnexpected: book.mayHoldUnexpected,
    mayLink: links.mayLink,
    looks,
  });
  const codec = onceFor((spoken: Profile) => createRecordCodec(catalogue, spoken));
  const core: RecordsCore = {
    ...options,
    book,
    links,
    policy,
    removal,
    deleted: [],
    refused: new Set(),
    codec,
  };
  return {
    codec,
    refused: core.refused,
    links,
    open,
    repeatSamples: numbers.repeat,
    remove: removal.removeAll,
    async finish(lists) {
      await removal.removeTogether([linked, ...lists]);
      await unanswered.remove({ book, removal, list });
      await removal.settle(core.deleted);
    },
    lengthOf: async (model) => (await fetchList(api, model.name))?.records.length ?? 0,
    leftovers: () => removal.leftovers,
    unremoved: (made) => removal.unremoved([...linked, ...unanswered.silent(), ...made]),
  };

  function apiFor(record?: (exchange: Exchange) => void, more: readonly Watcher[] = []): Api {
    return createApi({
      target,
      catalogue,
      profile,
      // The first two can stop a request before the others see it.
      watchers: [stopping(record !== undefined), book, ...own, ...watchers, ...more],
      ...(record ? { record } : {}),
    });
  }

  function open(model: Model, key: string, { made = linked, others, record, watchers }: Place): Workplace {
    const own = record ? apiFor(record, watchers) : api;
    const samples = createSamples(model, { plan, links, policy }, numbers.of(model, key));
    const required = () => samples.values('required');
    const { fresh, lengthen, shorter } = samples;
    const owner = { api: own, made, required, fresh, lengthen, shorter, ...(others ? { others } : {}) };
    return { api: own, samples, records: openModelRecords(core, model, owner) };
  }

  async function list(model: Model): Promise<Listing | undefined> {
    return model.operations.includes('list') ? readList(api, model) : undefined;
  }

  /** What can't be listed has nothing to take from. */
  async function see(model: Model, fields: readonly Field[]): Promise<readonly RecordValues[]> {
    try {
      const { records = [] } = (await seenBefore?.(model)) ?? (await list(model)) ?? {};
      return records.map((record) => {
        const shown = fields.filter(({ name }) => Object.hasOwn(record, name));
        return Object.fromEntries(
          shown.map((field) => [field.name, check().readValue(field, record[field.name] ?? null)]),
        );
      });
    } catch (error) {
      if (error instanceof Blocked) return [];
      throw error;
    }
  }
}
