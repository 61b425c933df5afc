import { basename } from 'node:path';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { dataFile } from '../files/data-file.ts';
import { unexpected } from '../files/usage-error.ts';
import { type Place, readYaml, readYamlFile } from '../files/yaml-file.ts';
import { readSettings, type Setting, type SettingValue } from './setting.ts';
import { isTakenHeader } from './taken-headers.ts';

/** The allowed moves of status fields: `model.field` → value → the values it may move to. */
export type Transitions =
  | 'any'
  | Readonly<Record<string, Readonly<Record<string, readonly (string | number)[]>>>>;

/** Value lists by `model.field`, and under `fkModel` the models an fkModel may name. */
export type ValueLists = Readonly<Record<string, readonly (string | number)[]>>;

type Status = number;

/**
 * An answer to every question the source leaves open. What each setting means, its options and the section
 * that leaves it open stand in `profile.default.yaml`; keys are the names used there and in every message.
 */
export type Profile = {
  readonly 'request.encoding': 'json' | 'form';
  readonly 'request.unknownFields': 'reject' | 'ignore';
  readonly 'request.readonlyFields': 'ignore' | 'reject';
  readonly 'request.update': 'partial' | 'full';
  readonly 'response.record': string;
  readonly 'response.records': string;
  readonly 'response.total': 'header' | 'pointer' | 'none';
  readonly 'response.totalHeader': string;
  readonly 'response.totalPointer': string;
  readonly 'response.unset': 'null' | 'absent';
  readonly 'status.created': Status;
  readonly 'status.updated': Status;
  readonly 'status.deleted': Status;
  readonly 'status.invalid': Status;
  readonly 'status.unparsable': Status;
  readonly 'status.unknownRecord': Status;
  readonly 'status.unknownModel': Status;
  readonly 'status.noOperation': Status;
  readonly 'errors.form': 'problem' | 'simple' | 'empty';
  readonly 'delete.effect': 'mark' | 'remove';
  readonly 'delete.answer': 'record' | 'none' | 'flag';
  readonly 'delete.readable': boolean;
  readonly 'delete.listed': boolean;
  readonly 'list.paging': 'offset' | 'page' | 'none';
  readonly 'list.offsetParameter': string;
  readonly 'list.pageParameter': string;
  readonly 'list.sizeParameter': string;
  readonly 'list.defaultSize': number;
  readonly 'list.maxSize': number;
  readonly 'list.sort': 'field' | 'none';
  readonly 'list.sortParameter': string;
  readonly 'list.filter': 'equality' | 'none';
  readonly 'types.currency': 'number' | 'string' | 'minor';
  readonly 'types.percent': 'number' | 'string';
  readonly 'types.select': 'value' | 'string' | 'object';
  readonly 'types.bool': 'bool' | 'int';
  readonly 'types.date': 'iso';
  readonly 'types.datetime': 'iso' | 'space';
  readonly 'types.time': 'seconds' | 'minutes';
  readonly 'types.duration': 'iso8601' | 'seconds';
  readonly 'types.daysOfWeek': 'array' | 'mask';
  readonly 'types.manyToMany': 'ids' | 'objects';
  readonly 'types.fkModel': 'name';
  readonly 'types.image': 'url';
  readonly 'types.lines': 'objects' | 'ids';
  readonly 'auth.scheme': 'none' | 'bearer' | 'basic' | 'apiKey';
  readonly 'auth.header': string;
  readonly 'version.in': 'none' | 'header' | 'query';
  readonly 'version.name': string;
  readonly transitions: Transitions;
  readonly 'limits.text': 'none' | number;
  readonly 'limits.rate': 'none' | number;
  readonly values: ValueLists;
};

export type SettingName = keyof Profile;

/** The settings in the order of `profile.default.yaml`. */
export const SETTINGS: readonly Setting[] = readSettings(
  readYamlFile(dataFile('profile/profile.default.yaml')),
);

// The file's names and defaults are those of the type; `profile.test.ts` compares the two.
export const DEFAULT_PROFILE = Object.freeze(
  Object.fromEntries(SETTINGS.map((setting) => [setting.name, setting.default])),
) as Profile;

/**
 * Reads a profile file: a mapping of settings, nested (`delete: { effect: remove }`) or dotted
 * (`delete.effect: remove`); what it does not name keeps its default. Throws UsageError for an unknown
 * setting or option, and for settings that can't hold together.
 */
export function loadProfile(file: string, catalogue: Catalogue): Profile {
  return readProfile(readYamlFile(file), catalogue);
}

/** The same for settings given as an object; `name` stands for the file in messages. */
export function createProfile(
  settings: Readonly<Record<string, unknown>>,
  catalogue: Catalogue,
  name = 'profile',
): Profile {
  return readProfile(readYaml(JSON.stringify(settings), name), catalogue);
}

/** The statuses of a success that has no body (RFC 9110, 15.3.5 and 15.3.6). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205;
}

/** Whether a setting means something beside the others; `list.pageParameter` does not when paging is by offset. */
export function applies(setting: Setting, profile: Profile): boolean {
  return setting.when.every(([name, values]) =>
    values.includes(profile[name as SettingName] as SettingValue),
  );
}

/** The settings that differ from the default and mean something, as `delete.effect remove`. */
export function describeProfile(profile: Profile): string[] {
  return SETTINGS.filter((setting) => applies(setting, profile)).flatMap((setting) => {
    const value = profile[setting.name as SettingName];
    const text = JSON.stringify(value);
    if (text === JSON.stringify(setting.default)) return [];
    return [`${setting.name} ${typeof value === 'string' && value !== '' ? value : text}`];
  });
}

function readProfile(file: Place, catalogue: Catalogue): Profile {
  const profile: Record<string, unknown> = { ...DEFAULT_PROFILE };
  const seen = new Map<string, Place>();
  if (file.value !== null) collect(file, '', seen);
  for (const setting of SETTINGS) {
    const place = seen.get(setting.name);
    if (place) profile[setting.name] = setting.read(place, catalogue);
  }
  // Every key was read by its setting, which refuses what the type does not allow.
  const complete = profile as Profile;
  checkTogether(complete, file);
  return Object.freeze(complete);
}

function collect(place: Place, prefix: string, seen: Map<string, Place>): void {
  for (const [key, child] of place.entries()) {
    const name = prefix + key;
    if (SETTINGS.some((setting) => setting.name === name)) {
      if (seen.has(name)) child.fail(`${name} stands twice; expected it once`);
      seen.set(name, child);
    } else if (SETTINGS.some((setting) => setting.name.startsWith(`${name}.`))) {
      collect(child, `${name}.`, seen);
    } else {
      const level = SETTINGS.filter((setting) => setting.name.startsWith(prefix)).map(
        (setting) => prefix + setting.name.slice(prefix.length).split('.')[0],
      );
      child.fail(unexpected('the setting', name, [...new Set(level)]));
    }
  }
}

function checkTogether(profile: Profile, file: Place): void {
  for (const name of ['status.created', 'status.updated'] as const)
    if (isBodiless(profile[name]))
      file.fail(
        `${name} is ${profile[name]}, which has no body; expected a status with one: section 4 returns the record`,
      );
  if (profile['list.defaultSize'] > profile['list.maxSize'])
    file.fail(
      `list.defaultSize is ${profile['list.defaultSize']}; expected at most list.maxSize, ${profile['list.maxSize']}`,
    );
  checkNames(profile, file);
  if (profile['response.total'] !== 'pointer') return;
  const [records, total] = [profile['response.records'], profile['response.totalPointer']];
  if (`${total}/`.startsWith(`${records}/`) || `${records}/`.startsWith(`${total}/`))
    file.fail(
      `response.totalPointer is "${total}" and response.records "${records}"; expected places beside each other, such as /total and /items`,
    );
}

/** Refuses a name that would mean two things at once. Header names are the same in any case (RFC 9110, 5.1). */
function checkNames(profile: Profile, file: Place): void {
  const place = profile['version.in'];
  const parameters = inForce(profile, [
    ...(['list.offsetParameter', 'list.pageParameter', 'list.sizeParameter'] as const),
    'list.sortParameter',
    ...(place === 'query' ? (['version.name'] as const) : []),
  ]);
  refuseTwins(parameters, 'query parameter', file);
  const headers = inForce(profile, [
    'auth.header',
    ...(place === 'header' ? (['version.name'] as const) : []),
  ]);
  const lowerCase = ([setting, name]: NameSetting): NameSetting => [setting, name.toLowerCase()];
  refuseTwins(headers.map(lowerCase), 'header', file);
  for (const [setting, name] of [...headers, ...inForce(profile, ['response.totalHeader'])])
    if (isTakenHeader(name))
      file.fail(`${setting} is "${name}", a header with a meaning of its own; expected another name`);
}

type NameSetting = readonly [setting: SettingName, name: string];

function inForce(profile: Profile, names: readonly SettingName[]): NameSetting[] {
  return SETTINGS.filter((setting) => names.some((name) => name === setting.name))
    .filter((setting) => applies(setting, profile))
    .map(({ name }) => [name as SettingName, String(profile[name as SettingName])]);
}

function refuseTwins(names: readonly NameSetting[], kind: string, file: Place): void {
  for (const [index, [setting, name]] of names.entries()) {
    const twin = names.slice(0, index).find(([, other]) => other === name);
    if (twin) file.fail(`${twin[0]} and ${setting} are both the ${kind} "${name}"; expected different names`);
  }
}

/** How a profile is called in print: the file's name, or `default`. */
export function profileName(file: string | undefined): string {
  return file === undefined ? 'default' : basename(file);
}
