import { UsageError } from '../../spec/files/usage-error.ts';
import type { Deviation, Profile, SettingName } from '../../spec/profile/profile.ts';
import { isEnded } from '../assert/ending.ts';
import { type Bindings, findBound } from '../records/links.ts';
import { type Findings, type LearnedSetting, unknown } from '../settings/observation.ts';
import { createProbeContext, type Probe, type ProbeContext, type ProbeOptions } from '../settings/probe.ts';
import { createProfileSoFar, type ProfileSoFar, supposedProfile } from '../settings/profile-so-far.ts';
import { describeStrange } from '../settings/response.ts';
import { LAST_PROBES, OBSERVATIONS, PROBES } from '../settings/settings.ts';
import { Lost, NoAnswer } from '../target/exchange.ts';
import { observeModels } from './observe-models.ts';

export type LearnOptions = Omit<ProbeOptions, 'bindings'> & {
  /** IDs to link to instead of records that are created or found, and queries that find them. */
  readonly bindings?: Bindings;
  readonly onProgress?: (progress: LearnProgress) => void;
  /** Told what could not be removed, as `model/id`, where learning ends with an error. */
  readonly onLeftovers?: (leftovers: readonly string[]) => void;
  /** Called at the start with a function that returns the records that learn has not removed yet, as `model/id`. */
  readonly onStart?: (unremoved: () => readonly string[]) => void;
};

/** How many steps are done, and the settings of the last one. A step is a probe, or all that one model shows. */
export type LearnProgress = {
  readonly done: number;
  readonly of: number;
  readonly settings: readonly SettingName[];
  /** The first setting, or the model. */
  readonly at: string;
};

/** The profile of a live service, as far as it shows. */
export type Learned = {
  readonly target: string;
  readonly write: boolean;
  /** Every setting, in the order of `profile.default.yaml`. */
  readonly settings: ReadonlyMap<SettingName, LearnedSetting>;
  /** The models and fields that use other options. The profile has them as exceptions. */
  readonly deviations: readonly Deviation[];
  /** The default profile with the options that were found. */
  readonly profile: Profile;
  readonly requests: number;
  readonly durationMs: number;
  /** Why the service may be something else than this interface; absent where lists were answered. */
  readonly warning?: string;
  /** Records that were made and could not be removed, as `model/id`. */
  readonly leftovers: readonly string[];
};

/**
 * Finds out the profile of a service by asking it, one probe after the other. Everything it makes it removes. Throws
 * UsageError when the service asks for other credentials, and NoAnswer when nothing answers, at the start or from some
 * point on; every other trouble makes a setting unknown.
 */
export async function learnProfile(options: LearnOptions): Promise<Learned> {
  const started = performance.now();
  const before = options.target.requests();
  const redact = (text: string) => options.target.redact?.(text) ?? text;
  const learned = createProfileSoFar(options.catalogue, redact);
  const { bindings = new Map(), target } = options;
  const bound = await findBound(bindings, { ...options, profile: learned.profile() }, target);
  const context = createProbeContext({ ...options, bindings: bound }, learned);
  const { clean, survey, unremoved } = context;
  options.onStart?.(unremoved);
  let leftovers: readonly string[] = [];
  let deviations: readonly Deviation[] = [];
  try {
    const isStopped = () => options.signal?.aborted === true;
    const selected = [...options.catalogue.models.values()].filter(context.isSelected);
    const steps = PROBES.length + selected.length + LAST_PROBES.length;
    let done = 0;
    const report = (settings: readonly SettingName[], at = settings[0] ?? '') =>
      options.onProgress?.({ done: ++done, of: steps, settings, at });
    const runAll = async (probes: readonly Probe[]) => {
      for (const probe of probes) {
        if (isStopped()) break;
        await runProbe(probe, context, learned);
        report(probe.settings);
      }
    };
    await runAll(PROBES);
    const observed = OBSERVATIONS.map(({ setting }) => setting);
    const models = await observeModels(context, learned, isStopped, ({ name }) => report(observed, name));
    // A model that can't be listed is not observed.
    done = PROBES.length + selected.length;
    deviations = learned.decide(models);
    await runAll(LAST_PROBES);
    leftovers = await clean();
  } catch (error) {
    // If the service went away, the error names the records that learn created.
    leftovers = await clean();
    options.onLeftovers?.(leftovers);
    if (error instanceof Error && leftovers.length > 0)
      error.message += `; not removed: ${leftovers.join(', ')}`;
    if (error instanceof Error) error.message = redact(error.message);
    throw error;
  }
  return {
    target: options.target.url,
    write: options.write,
    settings: learned.all(),
    deviations: deviations.map((one) => ({ ...one, text: redact(one.text) })),
    profile: learned.profile(),
    requests: options.target.requests() - before,
    durationMs: Math.round(performance.now() - started),
    ...(survey.plausible() ? {} : { warning: redact(describeStrange(survey.strange())) }),
    leftovers,
  };
}

async function runProbe(probe: Probe, context: ProbeContext, learned: ProfileSoFar): Promise<void> {
  const open = probe.settings.filter((setting) => !context.isFound(setting));
  if (open.length === 0 && !probe.again) return;
  if (probe.writes && context.readOnlyBecause !== undefined) {
    learned.suppose(open, context.readOnlyBecause);
    return;
  }
  try {
    learned.note(probe.again ? probe.settings : open, await runWithOthers(probe, context));
  } catch (error) {
    const isGone = error instanceof NoAnswer && error.gone;
    if (error instanceof UsageError || isGone || context.reachability.lost()) throw error;
    // An unexpected answer makes these settings unknown, and learning goes on.
    const reason = error instanceof Error ? error.message : String(error);
    learned.note(open, Object.fromEntries(open.map((setting) => [setting, unknown(reason)])));
  }
}

const MOST_TRIES = 3;

/** Runs a probe again with other records after a lost response, or if a model rejects valid ones: it comes last then. */
async function runWithOthers(probe: Probe, context: ProbeContext, tries = MOST_TRIES): Promise<Findings> {
  try {
    return await probe.run(context);
  } catch (error) {
    const isOfRecords = error instanceof Lost || (isEnded(error) && error.ending.model !== undefined);
    if (!isOfRecords || tries === 1) throw error;
    return runWithOthers(probe, context, tries - 1);
  }
}

/** The profile to judge the same service by. */
export type LearnedTerms = { readonly profile: Profile; readonly profileName: 'learned' };

/** Returns the profile that the file of a learned profile gives: settings without a finding are unknown. */
export function learnedTerms({ deviations, profile, settings }: Learned): LearnedTerms {
  const learned = deviations.length > 0 ? { learned: deviations } : {};
  return { profile: { ...supposedProfile(profile, settings), ...learned }, profileName: 'learned' };
}
