import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import { type Profile, type SettingName, typeSetting } from '../../spec/profile/profile.ts';
import { linkedModel, type References } from '../../spec/references.ts';
import { isText } from '../../spec/types/types.ts';
import { type ApiResponse, findRecordIn, isAccepted, isNoList, isRefused, listsIn } from '../api/answer.ts';
import { type ApiCall, createApi, type ModelApi } from '../api/api.ts';
import { type Listing, totalOf } from '../api/listing.ts';
import { blocked } from '../assert/ending.ts';
import { createCaseSetup } from '../cases/rule.ts';
import type { SeenRecord } from '../records/identity.ts';
import type { BoundIds } from '../records/links.ts';
import type { MakingOptions, Workplace } from '../records/records.ts';
import { withLinked, writableFields } from '../records/values/values.ts';
import { Interrupted, isUnanswered, NoAnswer, sideBySide, TooMany } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';
import type { Findings, ProfileSoFar } from './observation.ts';

/** Enough to know the form of every value. */
const MOST_OF_A_MODEL = 100;

const NO_MODEL = 'noSuchModel';

export const RATE_HEADERS = ['ratelimit-policy', 'ratelimit-limit', 'x-ratelimit-limit', 'ratelimit'];

/** The options of a learning run. */
export type ProbeOptions = Omit<Contract, 'profile'> &
  MakingOptions & {
    readonly target: Target;
    /** Whether records may be made; without it only GET is sent. */
    readonly write: boolean;
    /** The number samples start from; the same seed sends the same requests. Default 5000. */
    readonly seed?: number;
    /** Names of the models to observe, with those that they link to. Default: all. */
    readonly selected?: ReadonlySet<string> | undefined;
    /** Ids of things that can't be made. */
    readonly bindings?: BoundIds;
    /** How the credentials of the target were given, for a service whose 401 names no scheme. */
    readonly credentials?: 'bearer' | 'basic' | 'apiKey' | undefined;
    /** Ends learning early. The records that learn created are removed all the same. */
    readonly signal?: AbortSignal;
  };

/** The context of a probe. All records that it creates are removed at the end. */
export type ProbeContext = ReturnType<typeof createProbeContext>;

export function createProbeContext(options: ProbeOptions, learned: ProfileSoFar) {
  const { catalogue, credentials, references, seed = 5000, selected: names, signal, target, write } = options;
  const reachability = watchReachability(write);
  // The clean-up sends requests after the signal, too, and doesn't use this API.
  const unlessStopped = () => {
    if (signal?.aborted) throw new Interrupted();
  };
  const watchers = [{ before: unlessStopped }, reachability];
  const api = createApi({ target, catalogue, profile: learned.profile, watchers });
  // Of the models that they link to, only the required links count.
  const isSent = ({ readonly, required }: Field, { name }: Model) =>
    !readonly && (required || names?.has(name) === true);
  const selected = names && withLinked(options, names, isSent);
  const survey = createSurvey(catalogue, api, reachability);
  let isObserving = false;
  // The probes find out the form of a type by trying it.
  const spoken = () => (isObserving ? supposedFor(learned.profile()) : learned.profile());
  const supposedFor = onceFor((_profile: Profile) => learned.supposed());
  const plan = (): Contract => ({ catalogue, references, profile: spoken() });
  const whyReadOnly = () => {
    if (!write) return 'learning it needs --write';
    if (!survey.plausible()) return 'learn does not write to a service that might be another API';
    return learned.isUnknown('request.encoding') ? 'no record could be created' : undefined;
  };
  const setup = createCaseSetup({
    ...options,
    ...plan(),
    plan,
    seed,
    readOnly: () => whyReadOnly() !== undefined,
    watchers: [reachability],
    // Once paging is known, the whole list is read, unless the first response had all records.
    seenBefore: async (model) => {
      const known = await survey.listing(model);
      const total = known && learned.isFound('response.total') && totalOf(known.first, learned.profile());
      return total === known?.records.length || !learned.isFound('list.paging') ? known : undefined;
    },
    anyId: true,
    onMade: ({ answer, id, model }) => {
      const record = findRecordIn(model, answer);
      if (record) survey.note({ model, record: { ...record, id }, from: 'create', answer });
    },
  });
  return {
    catalogue,
    references,
    isSelected: (model: Model) => selected?.has(model) ?? true,
    /** Why nothing is written; undefined where records may be made. */
    get readOnlyBecause(): string | undefined {
      return whyReadOnly();
    },
    credentials,
    /** The default profile with the options found so far. */
    get profile(): Profile {
      return learned.profile();
    },
    isFound: learned.isFound,
    knows: learned.knows,
    api,
    reachability,
    survey,
    /** Models of which a valid record was refused. */
    refused: setup.records.refused,
    setup,
    /** From now on, cases don't send or compare values of a type whose form is unknown. */
    observe(): void {
      isObserving = true;
    },
    /**
     * Opens a place for records of a model, after it creates the records that the required and the given fields link to.
     */
    async open(model: Model, ...fields: Field[]): Promise<Workplace> {
      await setup.records.links.prepareFields(model, [
        ...writableFields(model).filter(({ required }) => required),
        ...fields,
      ]);
      return setup.records.open(model, 'learn', {});
    },
    /** Removes the records of the probes. Returns those that could not be removed, as `model/id`. */
    async clean(): Promise<readonly string[]> {
      if (reachability.lost()) return setup.unremoved();
      await setup.finish();
      return setup.leftovers();
    },
    unremoved: setup.unremoved,
  };
}

/** Reads the records that the service shows. Lists each model once. */
function createSurvey(
  catalogue: Catalogue,
  api: ModelApi,
  reachability: ReturnType<typeof watchReachability>,
) {
  const noted: SeenRecord[] = [];
  let strange: ApiResponse | undefined;
  let plausible = false;
  const answers = new Map<Model, ApiResponse>();
  let listed: Promise<ReadonlyMap<Model, ApiResponse>> | undefined;
  /** Returns the successful JSON responses to the lists of all models. */
  const lists = () => {
    listed ??= listAll();
    return listed;
  };
  return {
    lists,
    /** Returns the last other response to a list. */
    strange: () => strange,
    /** Whether the list of a model returned a success. */
    has: (model: Model) => answers.has(model),
    /** Whether some response contains a list. If none does, the service is another API. */
    plausible: () => plausible,
    records,
    /** Returns the first list of a model, from anywhere in the response; undefined if there was none. */
    async listing(model: Model): Promise<Listing | undefined> {
      const first = (await lists()).get(model);
      if (!first) return undefined;
      const records = api.recordsIn(first) ?? listsIn(first.json).flatMap(({ value }) => value);
      return { records, complete: true, first };
    },
    /** Adds a record from a response. */
    note: (record: SeenRecord) => noted.push(record),
  };

  async function listAll(): Promise<ReadonlyMap<Model, ApiResponse>> {
    const models = [...catalogue.models.values()].filter(({ operations }) => operations.includes('list'));
    await sideBySide(models, async (model) => {
      const answer = await listOne(model.name);
      if (answer && isAccepted(answer) && answer.json !== undefined) answers.set(model, answer);
      else strange = answer ?? strange;
    });
    const all = [...answers.values()];
    const isVague = all.some((answer) => isNoList(answer.json === null ? null : undefined, answer));
    plausible = all.some(({ json }) => listsIn(json).length > 0);
    // A service that returns the same to every request is another API.
    if (!plausible && isVague) plausible = isRefused((await listOne(NO_MODEL)) ?? { status: 0 });
    return new Map([...answers].sort(([one], [other]) => models.indexOf(one) - models.indexOf(other)));
  }

  /** Returns undefined after a failed list, because it says nothing about other models. */
  async function listOne(model: string): Promise<ApiResponse | undefined> {
    try {
      return await api.list(model);
    } catch (error) {
      if (isUnanswered(error) && !reachability.lost()) return undefined;
      throw error;
    }
  }

  /** Returns the records in the place of the profile, those of single responses first. */
  async function records(): Promise<readonly SeenRecord[]> {
    const inLists = [...(await lists())].flatMap(([model, answer]) =>
      (api.recordsIn(answer) ?? [])
        .slice(0, MOST_OF_A_MODEL)
        .map((record): SeenRecord => ({ model, record, from: 'list', answer })),
    );
    return [...noted, ...inLists];
  }
}

/**
 * The service is lost if it is gone, or if the first request has no response. Throws `blocked` instead of sending a write
 * that isn't allowed.
 */
function watchReachability(write: boolean) {
  let answered = 0;
  let lost = false;
  let rate: ApiResponse | undefined;
  return {
    /** Returns the first response with rate headers. */
    rate: () => rate,
    /** Whether the service no longer responds: nothing listens there, or requests time out. */
    lost: () => lost,
    before({ request }: ApiCall): void {
      if (!write && request.method !== 'GET') throw blocked(`a read-only run sends no ${request.method}`);
    },
    answered(_: ApiCall, answer: ApiResponse): void {
      answered++;
      if (RATE_HEADERS.some((name) => name in answer.headers)) rate ??= answer;
    },
    failed(_: ApiCall, error: unknown): void {
      if (!(error instanceof NoAnswer)) return;
      lost ||= error.gone ? !(error instanceof TooMany) : answered === 0 && error.exchange !== undefined;
    },
  };
}

/** Requests that find out settings. A probe is skipped if earlier probes found all of its settings. */
export type Probe = {
  readonly settings: readonly SettingName[];
  /** Whether it sends more than GET. */
  readonly writes?: true;
  /** Whether the probe also runs if its settings were found, because it might find out more about them. */
  readonly again?: boolean;
  /** Returns its findings. Settings without a finding don't change. If it throws `blocked`, all become unknown. */
  run(context: ProbeContext): Promise<Findings>;
};

/**
 * Returns the models of the service that a probe can write to. First come those without a refused create, then the
 * selected ones, those with a text field, those with the fewest requirements, and those with the fewest fields.
 */
export function easiestModels(
  { catalogue, isSelected, references, refused, survey }: ProbeContext,
  wanted: (model: Model) => boolean = () => true,
): Model[] {
  const rankOf = (model: Model) =>
    Number(refused.has(model)) * 1e9 +
    Number(!isSelected(model)) * 1e8 +
    Number(textFields(model).length === 0) * 1e7 +
    costOf(model, references) * 1e3 +
    writableFields(model).length;
  const needed = ['create', 'retrieve', 'list', 'delete'] as const;
  return [...catalogue.models.values()]
    .filter(({ operations }) => needed.every((operation) => operations.includes(operation)))
    .filter((model) => survey.has(model) && wanted(model))
    .sort((one, other) => rankOf(one) - rankOf(other));
}

function costOf(model: Model, references: References): number {
  const required = writableFields(model).filter((field) => field.required);
  const costs = required.map((field) => {
    if (isText(field)) return 1;
    if (linkedModel(references, field) !== undefined) return 8;
    if (field.lines !== undefined) return 12;
    return typeSetting(field) === undefined ? 2 : 3;
  });
  return costs.reduce((sum, cost) => sum + cost, 0);
}

/** Returns the writable fields that are wanted, in the order of `easiestModels`. */
export function easiestFields(context: ProbeContext, wanted: (field: Field, model: Model) => boolean) {
  return easiestModels(context).flatMap((model) => {
    const fields = writableFields(model).filter((field) => wanted(field, model));
    return fields.map((field) => ({ field, model }));
  });
}

/** The writable text fields of a model. */
export function textFields(model: Model): Field[] {
  return writableFields(model).filter(isText);
}
