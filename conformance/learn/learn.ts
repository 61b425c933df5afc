import { stringify } from 'yaml';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import {
  type Deviation,
  describeProfile,
  EXCEPT,
  type Profile,
  SENT,
  SETTINGS,
  type SettingName,
  scopeOf,
  showOption,
  UNKNOWN,
} from '../../spec/profile/profile.ts';
import { hideInText } from '../api/answer.ts';
import { isEnded, unlessEnded } from '../assert/ending.ts';
import { otherOption } from '../cases/remedy.ts';
import { type CaseContext, sendsMore } from '../cases/rule.ts';
import { type Bindings, findBound } from '../records/links.ts';
import { listed, oneLine, painter } from '../results/text.ts';
import {
  createProfileSoFar,
  exchangeLine,
  type Findings,
  type LearnedSetting,
  type Observation,
  observeAt,
  type ProfileSoFar,
  placesOf,
  supposedProfile,
  unknown,
  type Vote,
} from '../settings/observation.ts';
import {
  createProbeContext,
  easiestModels,
  type Probe,
  type ProbeContext,
  type ProbeOptions,
} from '../settings/probe.ts';
import { describeStrange } from '../settings/response.ts';
import { LAST_PROBES, OBSERVATIONS, PROBES } from '../settings/settings.ts';
import { type Exchange, Lost, NoAnswer, sideBySide, unlessUnanswered } from '../target/exchange.ts';
import { createLateLists, LATE } from '../trial/late-lists.ts';

export type LearnOptions = Omit<ProbeOptions, 'bindings'> & {
  /** IDs to link to instead of records that are created or found, and queries that find them. */
  readonly bindings?: Bindings;
  readonly onProgress?: (progress: {
    /** How many steps are done. A step is a probe, or all that one model shows. */
    readonly done: number;
    readonly of: number;
    /** The settings of the last step. */
    readonly settings: readonly SettingName[];
    /** The first setting, or the model. */
    readonly at: string;
  }) => void;
  /** Told what could not be removed, as `model/id`, where learning ends with an error. */
  readonly onLeftovers?: (leftovers: readonly string[]) => void;
  /** Called at the start with a function that returns the records that learn has not removed yet, as `model/id`. */
  readonly onStart?: (unremoved: () => readonly string[]) => void;
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
  const before = options.target.requests();
  const redact = (text: string) => options.target.redact?.(text) ?? text;
  const learned = createProfileSoFar(options.catalogue, redact);
  const { bindings = new Map(), target } = options;
  const bound = await findBound(bindings, { ...options, profile: learned.profile() }, target);
  const { catalogue, signal } = options;
  const lateLists = createLateLists({
    target,
    base: catalogue.base,
    ms: LATE,
    open: async (name, work) => {
      const model = catalogue.models.get(name);
      return model && work((await context.open(model)).records);
    },
    signal,
  });
  const context = createProbeContext({ ...options, target: lateLists.target, bindings: bound }, learned);
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
    const [easiest] = context.readOnlyBecause === undefined ? easiestModels(context) : [];
    if (easiest) await lateLists.measure(easiest.name);
    const observe = () => observeModels(context, learned, isStopped, ({ name }) => report(observed, name));
    const models = await (lateLists.models().size > 0 ? lateLists.waiting(observe) : observe());
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

/** How often a model is asked again, because it uses another option on which other requests depend. */
const MOST_ROUNDS = 4;

/**
 * Asks each selected model for the options that it uses. Models whose records contain each other wait for each other.
 * Returns the models, the easiest first.
 */
async function observeModels(
  context: ProbeContext,
  learned: ProfileSoFar,
  isStopped: () => boolean,
  onModel: (model: Model) => void,
): Promise<readonly Model[]> {
  const { catalogue, isSelected, setup, survey } = context;
  const all = new Set([...easiestModels(context), ...catalogue.models.values()]);
  const models = [...all].filter((model) => isSelected(model) && survey.has(model));
  const reasons = new Map<Observation, string>();
  context.observe();
  if (context.readOnlyBecause === undefined) await setup.prepare(new Set(models));
  const parents = new Map(
    models.flatMap(({ fields, name }) => fields.flatMap(({ lines }) => (lines ? [[lines, name]] : []))),
  );
  const lanes = Map.groupBy(models, ({ name }) => parents.get(name) ?? name);
  await sideBySide(lanes.values(), async (lane) => {
    for (const model of lane) if (!isStopped()) await observeModel(model);
  });
  for (const observation of OBSERVATIONS) {
    const reason = sendsMore(observation) ? context.readOnlyBecause : undefined;
    learned.suppose([observation.setting], reason ?? reasons.get(observation) ?? 'no response showed it');
  }
  return models;

  async function observeModel(model: Model): Promise<void> {
    for (let round = 1; round <= MOST_ROUNDS; round++) {
      const votes = await votesOf(model);
      if (!learned.see(votes)) break;
      setup.startAgain(model);
    }
    await setup.finishModels(new Set([model]));
    onModel(model);
  }

  async function votesOf(model: Model): Promise<Vote[]> {
    const votes: Vote[] = [];
    let isBlocked = false;
    for (const observation of OBSERVATIONS) {
      if (isStopped()) break;
      if (learned.isUnknown(observation.setting) || (setup.readOnly && sendsMore(observation))) continue;
      if (scopeOf(observation.setting) === 'service' && learned.isSeen(observation.setting)) continue;
      const places = placesOf(observation, model, context);
      // A model uses one option for all its fields, unless the setting is about single fields.
      const isOfField = scopeOf(observation.setting) === 'field';
      for (const field of isOfField ? places : places.slice(0, 1)) {
        const vote = await ask(observation, model, field, isOfField && field ? field.key : model.name);
        if (vote) votes.push(vote);
        else isBlocked ||= observation.setting === 'request.encoding';
      }
    }
    return isBlocked ? [...(await othersOf(model)), ...votes] : votes;
  }

  async function ask(observation: Observation, model: Model, field: Field | undefined, place: string) {
    return inCase(model, observation.setting, async (one, exchanges) => {
      const found = await observeAt(observation, one, field);
      if ('none' in found) {
        reasons.set(observation, reasons.get(observation) ?? found.none);
        return undefined;
      }
      const { exchange: evidence = exchanges.at(-1), ...rest } = found;
      const shown = hideInText(found.shown, exchanges);
      return evidence && { setting: observation.setting, place, ...rest, shown, evidence };
    });
  }

  /** Returns the option that keeps learn from creating records of a model. */
  async function othersOf(model: Model): Promise<Vote[]> {
    return inCase(model, 'other options', async (one, exchanges) => {
      const found = await unlessUnanswered(() => unlessEnded(() => one.ask(otherOption)));
      const evidence = exchanges.at(-1);
      if (!evidence || !found || scopeOf(found.name) === 'service') return [];
      const option = found.option as Vote['option'];
      return [{ setting: found.name, place: found.place, option, shown: String(option), evidence }];
    });
  }

  /** Works in a case of a model, with its exchanges so far. */
  async function inCase<T>(
    model: Model,
    key: string,
    work: (context: CaseContext, exchanges: readonly Exchange[]) => Promise<T>,
  ): Promise<T> {
    const exchanges: Exchange[] = [];
    await using one = setup.open(model, key, (exchange) => exchanges.push(exchange));
    await one.records.remember();
    return await work(one, exchanges);
  }
}

const LONGEST_VALUE = 40;
const LONGEST_REASON = 160;
const LONGEST_SUMMARY = 4000;

/** Renders the result for a terminal: setting, value, and evidence, then notes and the summary. */
export function renderLearned(learned: Learned, { color }: { readonly color: boolean }): string {
  const { deviations, leftovers, settings, warning, write } = learned;
  const paint = painter(color);
  const rows = [...settings].map(([setting, finding]) =>
    finding.kind === 'found'
      ? {
          setting,
          value: oneLine(showOption(finding.value), LONGEST_VALUE),
          style: 'green' as const,
          seen: exchangeLine(finding.evidence),
        }
      : { setting, value: UNKNOWN, style: 'yellow' as const, seen: oneLine(finding.reason, LONGEST_REASON) },
  );
  const widest = Math.max(0, ...rows.map(({ setting }) => setting.length));
  const broadest = Math.max(0, ...rows.map(({ value }) => value.length));
  const table = rows.map(
    ({ seen, setting, style, value }) =>
      `${setting.padEnd(widest)}  ${paint(style, value.padEnd(broadest))}  ${paint('gray', seen)}`,
  );
  const deviating = deviations.map(({ text }) => `  ${oneLine(text)}`);
  const lines = leftovers.map((one) => oneLine(one));
  const notes = [
    deviating.length > 0 && ['Deviations, which the profile names in except:', ...deviating].join('\n'),
    warning !== undefined &&
      `This service might not be the expected API: ${oneLine(warning)}. Check the base URL.`,
    lines.length > 0 && `Could not be removed. Delete these records yourself: ${listed(lines, 50)}`,
    !write &&
      'learn sent only GET requests. To learn more settings, pass --write, which creates and deletes records.',
  ].filter((note) => note !== false);
  return `${[table.join('\n'), ...notes, oneLine(summarizeLearned(learned), LONGEST_SUMMARY)].join('\n\n')}\n`;
}

/** One line: `learned 36 of 43 settings (7 unknown): delete.effect remove`. */
export function summarizeLearned({ profile, settings }: Learned): string {
  const findings = [...settings.values()];
  const found = findings.filter(({ kind }) => kind === 'found').length;
  const unknown = findings.length - found;
  const isKnown = (text: string) => profile.unknown[text.split(' ')[0] as SettingName] === undefined;
  const differs = describeProfile(profile).filter(isKnown);
  const such = differs.join(', ') || 'the learned ones equal the default profile';
  return `learned ${found} of ${findings.length} settings${unknown > 0 ? ` (${unknown} unknown)` : ''}${found > 0 ? `: ${such}` : ''}`;
}

/**
 * Returns a profile file with the findings. A comment above each found setting has the exchange that shows it. A comment
 * above each unknown one has the reason; its value is the best fit, if there is one.
 */
export function renderProfile(learned: Learned): string {
  const head = [
    `# The profile of ${oneLine(learned.target)}, learned from its responses.`,
    `# ${oneLine(summarizeLearned(learned), LONGEST_SUMMARY)}`,
  ];
  const { profile } = learnedTerms(learned);
  const parts = SETTINGS.map(({ name }) => renderSetting(name, learned, profile));
  return `${[head.join('\n'), ...parts, ...renderExceptions(learned)].join('\n\n')}\n`;
}

function renderExceptions({ deviations, profile: { except } }: Learned): string[] {
  const entries = Object.entries(except).map(([place, options]) => {
    const texts = deviations.filter((one) => one.place === place).map(({ text }) => `  # ${oneLine(text)}`);
    return [...texts, `  ${place}: ${write(options)}`];
  });
  return entries.length > 0 ? [[`${EXCEPT}:`, ...entries.flat()].join('\n')] : [];
}

function renderSetting(setting: SettingName, { settings }: Learned, profile: Profile): string {
  const value = write(profile[setting]);
  const finding = settings.get(setting);
  if (finding?.kind === 'found') return `# ${exchangeLine(finding.evidence)}\n${setting}: ${value}`;
  const { fits, isTaken } = profile.unknown[setting] ?? {};
  const said = fits ? `{ ${UNKNOWN}: ${value} }` : isTaken ? `{ ${SENT}: ${value} }` : UNKNOWN;
  return `# ${oneLine(finding?.reason ?? '')}\n${setting}: ${said}`;
}

function write(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();
}
