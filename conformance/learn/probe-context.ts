import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import type { Profile, SettingName } from '../../spec/profile/profile.ts';
import { type Api, createApi } from '../api/api.ts';
import { createWireCheck } from '../assert/wire-check.ts';
import type { Bindings } from '../records/bindings.ts';
import type { Made } from '../records/made.ts';
import { createRecords, type MakingOptions, type Workplace } from '../records/records.ts';
import { writableFields } from '../records/values/values.ts';
import type { Target } from '../target/target.ts';
import type { ProfileSoFar } from './profile-so-far.ts';
import { type Reachability, watchReachability } from './reachability.ts';
import { createSurvey, type Survey } from './survey.ts';

/** What learning needs to ask a service. */
export type ProbeOptions = Omit<Contract, 'profile'> &
  MakingOptions & {
    readonly target: Target;
    /** Whether records may be made; without it only GET is sent. */
    readonly write: boolean;
    /** The number samples start from; the same seed sends the same requests. Default 5000. */
    readonly seed?: number;
    /** Names of the models to prefer for each probe. */
    readonly selected?: ReadonlySet<string> | undefined;
    /** Ids of things that can't be made. */
    readonly bindings?: Bindings;
    /** How the credentials of the target were given, for a service whose 401 names no scheme. */
    readonly credentials?: 'bearer' | 'basic' | 'apiKey';
    /** Ends learning early; what was made is removed all the same. */
    readonly signal?: AbortSignal;
  };

/** What a probe works with. Everything it makes is removed in the end. */
export type ProbeContext = Omit<Contract, 'profile'> & {
  /** Whether a probe prefers the model. */
  readonly isSelected: (model: Model) => boolean;
  /** Why nothing is written; undefined where records may be made. */
  readonly readOnlyBecause: string | undefined;
  /** How the credentials were given, for a service whose 401 names no scheme. */
  readonly credentials?: 'bearer' | 'basic' | 'apiKey';
  /** What is found so far over the default profile. */
  readonly profile: Profile;
  readonly isFound: (setting: SettingName) => boolean;
  /** Asks the service in the profile as far as it is known. */
  readonly api: Api;
  readonly reachability: Reachability;
  readonly survey: Survey;
  /** Models of which a valid record was refused. */
  readonly refused: Set<Model>;
  /** Where records of a model are made; what its required fields and the given ones link to is there. */
  open(model: Model, ...fields: Field[]): Promise<Workplace>;
};

/** Takes away what the probes made. */
export type Cleaning = {
  /** Gives what could not be removed, as `model/id`. */
  clean(): Promise<readonly string[]>;
  /** What there is to remove still, as `model/id`. */
  unremoved(): readonly string[];
};

export function createProbeContext(options: ProbeOptions, learned: ProfileSoFar): ProbeContext & Cleaning {
  const { catalogue, credentials, references, seed = 5000, signal, target, write } = options;
  const reachability = watchReachability({ write, signal });
  const api = createApi({ target, catalogue, profile: learned.profile, watchers: [reachability] });
  const survey = createSurvey(catalogue, api, reachability);
  const made: Made[] = [];
  const plan = (): Contract => ({ catalogue, references, profile: learned.profile() });
  // Each profile holds for a while.
  const checkFor = onceFor((profile: Profile) => createWireCheck({ catalogue, references, profile }));
  const records = createRecords({
    ...options,
    plan,
    seed,
    watchers: [reachability],
    check: () => checkFor(learned.profile()),
    seenBefore: survey.listing,
    anyId: true,
    onMade: ({ answer, id, model, shown }) =>
      shown && survey.note({ model, record: { ...shown, id }, from: 'create', answer }),
  });
  return {
    catalogue,
    references,
    isSelected: ({ name }) => options.selected?.has(name) ?? true,
    get readOnlyBecause() {
      if (!write) return 'learning it needs --write';
      if (!survey.plausible()) return 'learn does not write to a service that might be another API';
      return learned.isUnknown('request.encoding') ? 'no record could be created' : undefined;
    },
    ...(credentials ? { credentials } : {}),
    get profile() {
      return learned.profile();
    },
    isFound: learned.isFound,
    api,
    reachability,
    survey,
    refused: records.refused,
    async open(model, ...fields) {
      await records.links.prepareFields(model, [
        ...writableFields(model).filter(({ required }) => required),
        ...fields,
      ]);
      return records.open(model, 'learn', { made });
    },
    async clean() {
      reachability.release();
      if (reachability.lost()) return records.unremoved(made);
      await records.finish([made]);
      return records.leftovers();
    },
    unremoved: () => records.unremoved(made),
  };
}
