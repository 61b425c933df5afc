import { basename } from 'node:path';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Field } from '../catalogue/field.ts';
import { isObject } from '../files/check-options.ts';
import { type Place, placeOf } from '../files/place.ts';
import { readAll, UsageError, unexpected } from '../files/usage-error.ts';
import { readYamlFile } from '../files/yaml-file.ts';
import { checkCombination } from './combination.ts';
import { readOption } from './kinds.ts';
import { isSameOption, showOption, withSizesOf } from './paging.ts';
import {
  DEFAULTS,
  isSettingName,
  SETTINGS,
  type Setting,
  type SettingName,
  type Settings,
  scopeOf,
} from './settings.ts';

export { isBodiless } from './combination.ts';
// Other folders import these from here.
export { headerIn, placeIn, sortingIn } from './kinds.ts';
export { fillSizes, isPages, isSameOption, type Pages, pagesOf, showOption, usualFrom } from './paging.ts';
export { SETTINGS, type Setting, type SettingName, scopeOf } from './settings.ts';
export { completeList, workingValues } from './value-lists.ts';

/**
 * An answer to each question that the source leaves open. `settings.ts` declares each setting, with its meaning, its
 * options, and the section that leaves it open. `profile.default.yaml` shows them to readers.
 */
export type Profile = Settings & {
  /** The settings that are not found out; their value is only supposed. */
  readonly unknown: UnknownSettings;
  /** The models and fields that use other options. `profileAt` applies them. */
  readonly except: Exceptions;
  /** The exceptions that are not in a file, because this run learned the profile. */
  readonly learned?: readonly Deviation[];
};

export const DEFAULT_PROFILE: Profile = Object.freeze({
  ...DEFAULTS,
  unknown: Object.freeze({}),
  except: Object.freeze({}),
});

/** The key of the models and fields that use other options. */
export const EXCEPT = 'except';

/** The settings of a model or field that differ from those of the service, by `model` or `model.field`. */
export type Exceptions = Readonly<Record<string, Partial<Settings>>>;

/** A model or field that uses another option than the service, and is not in the profile file. */
export type Deviation = {
  readonly place: string;
  readonly setting: SettingName;
  /** The option of the service. */
  readonly usual: unknown;
  /** The deviation in one sentence. */
  readonly text: string;
};

/** The value of a setting whose answer is not known. */
export const UNKNOWN = 'unknown';
/** The key of a form that requests accept, although responses have another one: `{ sent: number }`. */
export const SENT = 'sent';

/**
 * Reads a profile file: a mapping of settings, nested (`delete: { effect: remove }`) or dotted
 * (`delete.effect: remove`). Settings that it does not name keep their defaults. Each setting can be `unknown`. The kit
 * then uses the default, or the given value (`types.date: { unknown: iso }`). `except` names the models and fields that use
 * other options (`customer.disabled: { types.bool: int }`). Throws UsageError for an unknown setting, option, or place, and
 * for settings that exclude each other.
 */
export function loadProfile(file: string, catalogue: Catalogue): Profile {
  return readProfile(readYamlFile(file), catalogue, profileName(file));
}

/** Does the same for settings in an object. Messages call it `name`. */
export function createProfile(
  settings: Readonly<Record<string, unknown>>,
  catalogue: Catalogue,
  name = 'profile',
): Profile {
  // What JSON leaves out, such as undefined, is not given.
  return readProfile(placeOf(JSON.parse(JSON.stringify(settings)), name), catalogue, name);
}

/**
 * A profile with other answers to some settings, which are known then, at all models and fields. Throws UsageError like
 * `createProfile`.
 */
export function changeProfile(
  { except, unknown, learned: _, ...settings }: Profile,
  changes: Readonly<Record<string, unknown>>,
  catalogue: Catalogue,
  name?: string,
): Profile {
  const isChanged = (setting: string) => Object.hasOwn(changes, setting);
  const left = withoutExceptions(except, isChanged);
  const changed = createProfile({ ...settings, except: left, ...changes }, catalogue, name);
  const open = Object.entries(unknown).filter(([setting]) => !isChanged(setting));
  return Object.freeze({ ...changed, unknown: { ...Object.fromEntries(open), ...changed.unknown } });
}

/**
 * Does the same for a mock that runs. With null, a setting keeps its value. Throws UsageError also for a setting that must
 * not change then, and for a name that is no setting.
 */
export function changeLive(
  start: Profile,
  changes: Readonly<Record<string, unknown>>,
  catalogue: Catalogue,
): Profile {
  const lives = SETTINGS.flatMap(({ live, name }) => (live ? [name] : []));
  for (const name of Object.keys(changes))
    if (!isSettingName(name)) throw new UsageError(unexpected('setting', name, lives));
  const given = Object.entries(changes).filter(([, value]) => value !== null);
  if (given.length === 0) return start;
  const changed = changeProfile(start, Object.fromEntries(given), catalogue);
  for (const { live, name } of SETTINGS) {
    const [own, wanted] = [start[name], changed[name]];
    const isAllowed = live === 'all' || isSameOption(own, live ? withSizesOf(wanted, own) : wanted);
    if (isAllowed) continue;
    throw new UsageError(
      `${live ? `Only default and max of ${name}` : name} can${live ? '' : "'t"} change while the mock runs, because clients rely on the document of its start. Restart the mock with --profile FILE, or create another one.`,
    );
  }
  return changed;
}

/** Characters of a setting in print; a value list may have thousands. */
const LONGEST_SHOWN = 200;

/** The settings that differ from the default, as `delete.effect remove`. */
export function describeProfile(profile: Profile): string[] {
  const changed = SETTINGS.filter((setting) => !isSameOption(profile[setting.name], setting.default));
  return changed.map(({ name }) => {
    const shown = showOption(profile[name]);
    return `${name} ${shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}…` : shown}`;
  });
}

/** How a profile is called in print: the file's name, or `default`. */
export function profileName(file: string | undefined): string {
  return file === undefined ? 'default' : basename(file);
}

function readProfile(file: Place, catalogue: Catalogue, name: string): Profile {
  const entries = new Map<string, Place>();
  const given: Record<string, unknown> = {};
  const unknown: Record<string, UnknownSetting> = {};
  const readSetting = (setting: Setting) => {
    const place = entries.get(setting.name);
    if (!place) return;
    const [word, value] = answerIn(setting.name, place);
    if (value) given[setting.name] = readOption(setting, value, catalogue);
    if (word === undefined) return;
    const isTaken = word === SENT;
    const fits = value !== undefined && !isTaken;
    unknown[setting.name] = { why: `is unknown in ${name}`, fits, ...(isTaken && { isTaken }) };
  };
  // A wrong name of one setting and a wrong value of another are reported together.
  const steps = [
    () => {
      if (file.value !== null) collect(file, '', entries);
    },
    () => readAll(SETTINGS, readSetting),
  ];
  readAll(steps, (step) => step());
  const complete: Settings = { ...DEFAULTS, ...given };
  checkCombination(complete, file, catalogue);
  const exceptions = entries.get(EXCEPT);
  const except = exceptions ? readExceptions(exceptions, complete, catalogue) : {};
  return Object.freeze({ ...complete, unknown: Object.freeze(unknown), except: Object.freeze(except) });
}

/** Reads the exceptions of a file. Throws UsageError for an unknown place, and for settings that can't hold there. */
function readExceptions(file: Place, settings: Settings, catalogue: Catalogue): Exceptions {
  const except: Record<string, Partial<Settings>> = {};
  readAll(file.entries(), ([key, entry]) => {
    const type = typeAt(String(key), entry, catalogue);
    const given = settingsIn(entry);
    const own = readAll(SETTINGS, (setting) => {
      const value = given.get(setting.name);
      if (!value) return [];
      needScope(setting.name, String(key), type, value);
      return [[setting.name, readOption(setting, value, catalogue)]];
    });
    except[String(key)] = Object.fromEntries(own.flat());
  });
  // A field is checked together with its model.
  readAll(file.entries(), ([key, entry]) =>
    checkCombination(profileAt({ ...settings, except, unknown: {} }, String(key)), entry, catalogue),
  );
  return except;
}

/** Returns the type of a field; undefined for a model. */
function typeAt(key: string, entry: Place, { models }: Catalogue): string | undefined {
  const [name = '', field] = key.split('.');
  const unknown = (kind: string, word: string, known: readonly string[]) =>
    entry.fail(unexpected(kind, word, known, `in ${EXCEPT}`));
  const { fields } = models.get(name) ?? unknown('model', name, [...models.keys()]);
  if (field === undefined) return undefined;
  const keys = fields.map((one) => one.key);
  return (fields.find((one) => one.key === key) ?? unknown('field', key, keys)).type;
}

function needScope(name: SettingName, key: string, type: string | undefined, value: Place): void {
  const scope = scopeOf(name);
  if (scope === 'service')
    value.fail(`${name} can't be in ${EXCEPT} because it concerns the whole service. Remove it.`);
  if (type === undefined) return;
  if (scope === 'model')
    value.fail(`${name} can't differ for a field. Name the model ${key.split('.')[0]} instead of ${key}.`);
  if (name.startsWith('types.') && name !== `types.${type}`)
    value.fail(`${name} can't differ for ${key} because its type is ${type}. Remove it.`);
}

/** The settings in the entry of a place. */
function settingsIn(place: Place): ReadonlyMap<string, Place> {
  const entries = new Map<string, Place>();
  collect(place, '', entries);
  entries.get(EXCEPT)?.fail(`${EXCEPT} can't be nested. Remove it.`);
  for (const [name, value] of entries)
    if (answerIn(name, value)[0] !== undefined)
      place.fail(`${name} can't be ${UNKNOWN} or ${SENT} in ${EXCEPT}. Remove it.`);
  return entries;
}

/** Collects the entries of settings, nested or dotted, and the one of `except`. */
function collect(place: Place, prefix: string, entries: Map<string, Place>): void {
  readAll(place.entries(), ([key, child]) => {
    const name = prefix + key;
    if (name === EXCEPT || isSettingName(name)) {
      if (entries.has(name)) child.fail(`${name} is given twice. Remove one of them.`);
      entries.set(name, child);
    } else if (SETTINGS.some((setting) => setting.name.startsWith(`${name}.`))) {
      collect(child, `${name}.`, entries);
    } else {
      child.fail(unexpected('setting', name, settingsNear(name)));
    }
  });
}

/** The settings of the group that a name begins with, or else the groups. */
function settingsNear(name: string): string[] {
  const group = name.slice(0, name.lastIndexOf('.') + 1);
  const names = SETTINGS.map((setting) => setting.name);
  const inGroup = names.filter((known) => group !== '' && known.startsWith(group));
  return inGroup.length > 0 ? inGroup : [...new Set(names.map((one) => one.split('.')[0] ?? ''))];
}

/** Returns the parts of an entry: `unknown` or `sent`, or neither, and the value. */
function answerIn(
  name: string,
  place: Place,
): [word?: typeof UNKNOWN | typeof SENT | undefined, value?: Place | undefined] {
  if (place.value === UNKNOWN) return [UNKNOWN];
  const words = name.startsWith('types.') ? ([UNKNOWN, SENT] as const) : ([UNKNOWN] as const);
  const { value } = place;
  const word = isObject(value) ? words.find((one) => Object.hasOwn(value, one)) : undefined;
  if (word === undefined) return [undefined, place];
  const entries = place.entries();
  for (const [key] of entries)
    if (key !== word) place.fail(`${word} must be the only key here. Remove ${key}.`);
  return [word, entries[0]?.[1]];
}

/** The unknown settings, with the partial knowledge about each. */
export type UnknownSettings = { readonly [Name in SettingName]?: UnknownSetting };

export type UnknownSetting = {
  /** The end of a sentence about the setting: `is unknown in my-profile.yaml`, `could not be learned (…)`. */
  readonly why: string;
  /**
   * Whether the value is one that the service was seen to agree with (`{ unknown: value }`): it is only not told apart
   * from others. Else the value is the default, and may be wrong.
   */
  readonly fits: boolean;
  /** Whether values are accepted in the form of the value, though they are shown in another. */
  readonly isTaken?: boolean;
};

type KnowsUnknown = { readonly profile: Pick<Profile, 'unknown'> };

/** Why nothing is judged by a setting; undefined where it is known. */
export function whyUnknown({ unknown }: Pick<Profile, 'unknown'>, name: SettingName): string | undefined {
  const why = unknown[name]?.why;
  return why && `${name} ${why}; you can set it in the --profile file`;
}

/** Why values of a field are neither compared nor sent where they may be left out; undefined where their form is known. */
export function whyFormless(field: Field, { profile }: KnowsUnknown): string | undefined {
  const name = typeSetting(field);
  // That lines are a list the source does say.
  if (name === undefined || name === 'types.lines' || profile.unknown[name]?.fits !== false) return undefined;
  return whyUnknown(profile, name);
}

/** Why no value of a field can be sent; undefined where its form is known, or taken. */
export function whyUnmakeable(field: Field, { profile }: KnowsUnknown): string | undefined {
  const name = typeSetting(field);
  return name !== undefined && profile.unknown[name]?.isTaken ? undefined : whyFormless(field, { profile });
}

/** The options of a type's setting. */
export function typeOptions(setting: SettingName): string[] {
  return SETTINGS.find(({ name }) => name === setting)?.variants.map(String) ?? [];
}

/** A profile that differs in some settings, at all models and fields. */
export function under(profile: Profile, settings: Readonly<Record<string, unknown>>): Profile {
  const except = withoutExceptions(profile.except, (name) => Object.hasOwn(settings, name));
  return Object.assign({ ...profile }, settings, { except });
}

/** The setting that says how a field's type looks on the wire; undefined for types with one form only. */
export function typeSetting({ type }: Pick<Field, 'type'>): SettingName | undefined {
  const name = `types.${type}`;
  return isSettingName(name) ? name : undefined;
}

/** Returns the allowed changes of a field, per value, and under `new` of a new record; undefined if all are allowed. */
export function movesOf(
  { key }: Pick<Field, 'key'>,
  { transitions }: Profile,
): Readonly<Record<string, readonly (string | number)[]>> | undefined {
  return transitions !== 'any' && Object.hasOwn(transitions, key) ? transitions[key] : undefined;
}

/** Returns the exceptions without some settings. */
export function withoutExceptions(except: Exceptions, isLeftOut: (name: string) => boolean): Exceptions {
  const kept = Object.entries(except).flatMap(([place, own]) => {
    const left = Object.entries(own).filter(([name]) => !isLeftOut(name));
    return left.length > 0 ? [[place, Object.fromEntries(left)]] : [];
  });
  return Object.fromEntries(kept);
}

/** Whether a model, or a field of it, has another form of a type than the service. */
export function hasOwnForm({ except }: Profile, model: string): boolean {
  return Object.entries(except).some(
    ([place, own]) => place.split('.')[0] === model && Object.keys(own).some(isForm),
  );
}

/** Returns the profile of the service with the same form of a type at all models and fields. */
export function withoutForms(profile: Profile): Profile {
  const whole = wholes.get(profile) ?? profile;
  return Object.freeze({ ...whole, except: withoutExceptions(whole.except, isForm) });
}

function isForm(setting: string): boolean {
  return setting.startsWith('types.');
}

const applied = new WeakMap<Profile, Map<string, Profile>>();
/** The profile of the service that each profile of a model or field comes from. */
const wholes = new WeakMap<Profile, Profile>();

/**
 * Returns the profile that holds for a model (`customer`) or a field (`customer.disabled`). An exception of a field
 * precedes one of its model.
 */
export function profileAt(profile: Profile, place: string): Profile {
  if (Object.keys(profile.except).length === 0) return profile;
  const whole = wholes.get(profile) ?? profile;
  const { except } = whole;
  const [model = ''] = place.split('.');
  if (!Object.hasOwn(except, model) && !Object.hasOwn(except, place)) return whole;
  const places = applied.get(whole) ?? new Map<string, Profile>();
  applied.set(whole, places);
  const known = places.get(place);
  if (known) return known;
  const own = { ...except[model], ...except[place] };
  const unknown = Object.entries(whole.unknown).filter(([setting]) => !Object.hasOwn(own, setting));
  const made = Object.freeze({ ...whole, ...own, unknown: Object.fromEntries(unknown) });
  places.set(place, made);
  wholes.set(made, whole);
  return made;
}
