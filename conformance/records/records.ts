import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import { type Profile, withoutForms } from '../../spec/profile/profile.ts';
import { createRecordCodec, type RecordCodec, type RecordValues } from '../../spec/wire/record-codec.ts';
import { createApi, type ModelApi, type Watcher } from '../api/api.ts';
import { fetchList, type Listing } from '../api/listing.ts';
import type { WireCheck } from '../assert/agreement.ts';
import { blocked, unlessEnded } from '../assert/ending.ts';
import { type Exchange, Interrupted, isUnanswered, unlessUnanswered } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';
import { readList } from './identity.ts';
import type { Journal } from './journal.ts';
import { type BoundIds, createLinks } from './links.ts';
import { type MadeRecord, type ModelRecords, openModelRecords, type RecordsCore } from './model-records.ts';
import { createRegistry } from './registry.ts';
import { createRemoval } from './removal.ts';
import type { Pins } from './values/pins.ts';
import { createSampleNumbers, createSamples, type Samples } from './values/samples.ts';
import { createFieldPolicy } from './values/values.ts';

/** Creates and reads records of one model, for one case or question. */
export type Workplace = {
  /** Sends requests and records their exchanges. */
  readonly api: ModelApi;
  readonly records: ModelRecords;
  readonly samples: Samples;
};

/** The owner and the watchers of a case or question. */
export type RecordOwner = {
  /** The records are removed with those of this owner. Without it, they are removed at the end of the run. */
  readonly owner?: object;
  readonly record?: (exchange: Exchange) => void;
  /** See the requests of this place only. */
  readonly watchers?: readonly Watcher[] | undefined;
};

/** The user's settings for created records. */
export type MakingOptions = {
  /** Distinguishes records of this run from others: texts contain it, and numbers depend on it. */
  readonly tag?: string | undefined;
  /** The values that the service accepts in all created records. */
  readonly pins?: Pins | undefined;
  /** Notes records before they are created, so that they can be removed after a killed run. */
  readonly journal?: Journal | undefined;
  /** No other run has the tag, so this run removes each record with it. */
  readonly tagIsUnique?: boolean | undefined;
  /** Limits the number of created records; learning and checking can share it. */
  readonly limit?: Watcher | undefined;
};

export type RecordsOptions = MakingOptions & {
  /** Returns the current plan, because learning extends the profile. */
  readonly plan: () => Contract;
  readonly target: Target;
  readonly check: () => WireCheck;
  /** Determines the samples, together with the tag. */
  readonly seed: number;
  /** Ids to link to instead of records that are made or found. */
  readonly bindings?: BoundIds | undefined;
  /** See every request. */
  readonly watchers?: readonly Watcher[] | undefined;
  /** Milliseconds before each late look at what seems not to be removed; a target in this process needs none. */
  readonly looks?: readonly number[] | undefined;
  /** Returns the list of a model before the first create. */
  readonly seenBefore?: (model: Model) => Promise<Listing | undefined>;
  readonly anyId?: boolean;
  readonly onMade?: (made: MadeRecord) => void;
  /** Maximum number of parallel requests before the first case and after the last one. */
  readonly concurrency?: number | undefined;
  /** Once it aborts, cases send nothing, and the run only removes its records. */
  readonly signal?: AbortSignal | undefined;
};

/** Creates records of the target's models, and knows its other records. */
export function createRecords(options: RecordsOptions) {
  const { check, plan, seenBefore, target, watchers = [] } = options;
  const { catalogue } = plan();
  const profile = () => plan().profile;
  const policy = createFieldPolicy({ ...options, plain: options.anyId });
  const registry = createRegistry(plan(), createApi({ target, catalogue, profile, watchers }), {
    list,
    seenBefore,
    read: (model, wire) => check().read(model, wire),
  });
  const own: Watcher[] = [registry, options.limit ?? {}];
  if (options.journal) own.push(options.journal.watch(registry.wasThere));
  /** After the signal, the run only removes records. */
  const stopping = (isCase: boolean): Watcher => ({
    before({ request: { method } }) {
      if (options.signal?.aborted && (isCase || !['GET', 'DELETE'].includes(method))) throw new Interrupted();
    },
  });
  const numbers = createSampleNumbers(options.seed, options.tag);
  const links = createLinks({
    plan,
    bindings: options.bindings,
    concurrency: options.concurrency,
    make: async (model) => {
      const { records, samples } = open(model, 'links', {});
      try {
        const { id } = await records.make(samples.neutral(samples.values('required')));
        // Writes that link to the record can change its totals, so it is read before them.
        if (model.operations.includes('retrieve')) await api.retrieve(model.name, id);
        return id;
      } catch (error) {
        // Only the cases that need the record are blocked.
        if (!isUnanswered(error)) throw error;
        throw blocked(error.message, error.exchange, { model });
      }
    },
    see,
    oneEach: options.anyId === true,
  });
  const removal = createRemoval({
    ...options,
    api: apiFor(),
    registry,
    list,
    mayLink: links.mayLink,
  });
  own.push(removal);
  const api = apiFor();
  const usualForms = new Set<string>();
  const codecOf = onceFor((spoken: Profile) => createRecordCodec(catalogue, spoken));
  const usual = onceFor((spoken: Profile) => withoutForms(spoken));
  const codec = (spoken: Profile): Pick<RecordCodec, 'encodeNamed'> => ({
    encodeNamed: (model, values) =>
      codecOf(usualForms.has(model) ? usual(spoken) : spoken).encodeNamed(model, values),
  });
  const core: RecordsCore = {
    ...options,
    registry,
    links,
    policy,
    removal,
    refused: new Set(),
    usualForms,
    codec,
  };
  return {
    codec,
    refused: core.refused,
    links,
    open,
    /** Gives each key of the model its first samples again, if they may repeat. */
    repeatSamples: numbers.repeat,
    removeOf: removal.removeOf,
    finish: removal.finish,
    /** Returns the number of records in the list of a model, over its pages. */
    lengthOf: async (model: Model) => (await fetchList(api, model.name))?.records.length ?? 0,
    leftovers: removal.leftovers,
    unremoved: removal.unremoved,
  };

  function apiFor(record?: (exchange: Exchange) => void, more: readonly Watcher[] = []): ModelApi {
    return createApi({
      target,
      catalogue,
      profile,
      // The first three can stop a request before the others see it.
      watchers: [stopping(record !== undefined), ...own, ...watchers, ...more],
      record,
    });
  }

  /** `key` names the case or question. Equal keys get equal samples in each run. */
  function open(model: Model, key: string, { owner, record, watchers }: RecordOwner): Workplace {
    const own = record ? apiFor(record, watchers) : api;
    const samples = createSamples(model, { plan, links, policy }, numbers.of(model, key));
    return { api: own, samples, records: openModelRecords(core, model, { api: own, owner, samples }) };
  }

  async function list(model: Model): Promise<Listing | undefined> {
    return model.operations.includes('list') ? readList(api, model) : undefined;
  }

  /** Returns values from the list of a model; nothing if it can't be listed. */
  async function see(model: Model, fields: readonly Field[]): Promise<readonly RecordValues[]> {
    const look = async () => (await seenBefore?.(model)) ?? (await list(model));
    const listing = await unlessUnanswered(() => unlessEnded(look, ['blocked']));
    return (listing?.records ?? []).map((record) => {
      const shown = fields.filter(({ name }) => Object.hasOwn(record, name));
      return Object.fromEntries(
        shown.map((field) => [field.name, check().readValue(field, record[field.name] ?? null)]),
      );
    });
  }
}
