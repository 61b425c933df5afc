import type { Catalogue } from '../../spec/catalogue.ts';
import {
  applies,
  createProfile,
  DEFAULT_PROFILE,
  type Profile,
  SETTINGS,
  type SettingName,
} from '../../spec/profile.ts';
import type { References } from '../../spec/references.ts';
import { UsageError } from '../../spec/usage-error.ts';
import type { Bindings } from '../bindings.ts';
import { NoAnswer, type Target } from '../target.ts';
import { createAsking } from './asking.ts';
import { describeStrange } from './envelope.ts';
import { type Finding, type Findings, Unlearned, unknown } from './finding.ts';
import { createMaking } from './making.ts';
import type { Probe, ProbeContext } from './probe.ts';
import { PROBES } from './probes.ts';
import { createSurvey } from './survey.ts';

export type LearnOptions = {
  readonly catalogue: Catalogue;
  readonly references: References;
  readonly target: Target;
  /** Whether records may be made; without it only GET is sent. */
  readonly write: boolean;
  /** The number samples start from; the same seed sends the same requests. Default 5000. */
  readonly seed?: number;
  /** Ids of things that can't be made. */
  readonly bindings?: Bindings;
  /** How the credentials of the target were given, for a service whose 401 names no scheme. */
  readonly credentials?: 'bearer' | 'basic' | 'apiKey';
  /** Ends learning early; what was made is removed all the same. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: LearnProgress) => void;
};

/** How many of the probes are done, and the settings the last one was about. */
export type LearnProgress = {
  readonly done: number;
  readonly of: number;
  readonly settings: readonly SettingName[];
};

/** The profile of a live service, as far as it shows. */
export type Learned = {
  readonly target: string;
  readonly write: boolean;
  /** Every setting, in the order of `profile.default.yaml`. */
  readonly settings: ReadonlyMap<SettingName, Finding>;
  /** What was found over the default profile. */
  readonly profile: Profile;
  readonly requests: number;
  readonly durationMs: number;
  /** Why the service may be none of this interface; absent where lists were answered. */
  readonly doubt?: string;
  /** Records that were made and could not be removed, as `model/id`. */
  readonly leftovers: readonly string[];
};

/**
 * Finds out the profile of a service by asking it, one probe after the other. Everything it makes it removes. Throws
 * UsageError when the service asks for other credentials, and NoAnswer when nothing answers, at the start or from some
 * point on; every other trouble makes a setting unknown.
 */
export async function learnProfile(options: LearnOptions): Promise<Learned> {
  const { catalogue, references, target, write } = options;
  const started = performance.now();
  const before = target.requests();
  const ledger = createLedger(catalogue);
  const ask = createAsking({ target, catalogue, write }, ledger.profile);
  const survey = createSurvey(catalogue, ask);
  const making = createMaking(
    { catalogue, references, bindings: options.bindings ?? new Map(), seed: options.seed ?? 5000, ask, survey },
    ledger.profile,
  );
  const context: ProbeContext = {
    catalogue,
    references,
    write,
    ...(options.credentials ? { credentials: options.credentials } : {}),
    get profile() {
      return ledger.profile();
    },
    isFound: ledger.isFound,
    ask,
    survey,
    making,
  };
  let leftovers: readonly string[] = [];
  let failure: unknown;
  try {
    for (const [index, probe] of PROBES.entries()) {
      if (options.signal?.aborted) break;
      await runProbe(probe, context, ledger);
      options.onProgress?.({ done: index + 1, of: PROBES.length, settings: probe.settings });
    }
  } catch (error) {
    failure = error;
  } finally {
    leftovers = await making.clean();
  }
  if (failure) throw withLeftovers(failure, leftovers);
  const listed = (await survey.lists()).size > 0 && ledger.isFound('response.records');
  const doubt = listed
    ? {}
    : { doubt: describeStrange(survey.strange() ?? [...(await survey.lists()).values()][0]) };
  return {
    target: target.url,
    write,
    settings: ledger.settle(),
    profile: ledger.profile(),
    requests: target.requests() - before,
    durationMs: Math.round(performance.now() - started),
    ...doubt,
    leftovers,
  };
}

async function runProbe(
  { needs, run, settings }: Probe,
  context: ProbeContext,
  ledger: Ledger,
): Promise<void> {
  const open = settings.filter((setting) => !context.isFound(setting));
  if (open.length === 0) return;
  if (needs === 'writing' && !context.write) {
    for (const setting of open)
      ledger.suppose(setting, unknown('it shows only where records may be written'));
    return;
  }
  try {
    ledger.note(open, await run(context));
  } catch (error) {
    if (error instanceof UsageError || context.ask.lost()) throw error;
    if (!(error instanceof Unlearned || error instanceof NoAnswer)) throw error;
    ledger.note(open, Object.fromEntries(open.map((setting) => [setting, unknown(error.message)])));
  }
}

/** What is found so far, always as a profile that holds together. */
type Ledger = {
  profile(): Profile;
  isFound(setting: SettingName): boolean;
  note(settings: readonly SettingName[], findings: Findings): void;
  /** Gives the reason why a setting is unknown unless there is one. */
  suppose(setting: SettingName, finding: Finding): void;
  settle(): ReadonlyMap<SettingName, Finding>;
};

function createLedger(catalogue: Catalogue): Ledger {
  const findings = new Map<SettingName, Finding>();
  let profile = DEFAULT_PROFILE;
  return {
    profile: () => profile,
    isFound: (setting) => findings.get(setting)?.kind === 'found',
    note: (settings, news) => {
      for (const setting of settings) {
        const finding = news[setting];
        if (finding) note(setting, finding);
      }
    },
    suppose: (setting, finding) => {
      if (!findings.has(setting)) findings.set(setting, finding);
    },
    settle,
  };

  function note(setting: SettingName, finding: Finding): void {
    findings.set(setting, finding);
    if (finding.kind !== 'found') return;
    try {
      profile = createProfile({ ...profile, [setting]: finding.value }, catalogue, 'the service');
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      findings.set(setting, unknown(`what the service does can't be said in a profile: ${error.message}`));
    }
  }

  function settle(): ReadonlyMap<SettingName, Finding> {
    return new Map(SETTINGS.map((setting) => [setting.name as SettingName, judge(setting)]));
  }

  function judge(setting: (typeof SETTINGS)[number]): Finding {
    const known = findings.get(setting.name as SettingName);
    const open = setting.when.find(([other]) => findings.get(other as SettingName)?.kind !== 'found');
    if (known?.kind !== 'found' && open) return unknown(`${open[0]} is unknown`);
    if (!applies(setting, profile)) {
      const because = setting.when.map(([other]) => `${other} is ${profile[other as SettingName]}`);
      return { kind: 'does-not-apply', because: because.join(', ') };
    }
    return known ?? unknown('it does not show');
  }
}

/** What was made is named too where the service went away in the middle. */
function withLeftovers(error: unknown, leftovers: readonly string[]): unknown {
  if (error instanceof Error && leftovers.length > 0) error.message += `; not removed: ${leftovers.join(', ')}`;
  return error;
}
