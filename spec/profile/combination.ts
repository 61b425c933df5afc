import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Place } from '../files/place.ts';
import { pointerFor } from '../wire/model-place.ts';
import { applies, SETTINGS, type SettingName, type Settings } from './settings/settings.ts';
import { isTakenHeader } from './taken-headers.ts';

/** The statuses of a success that has no body (RFC 9110, 15.3.5 and 15.3.6). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205;
}

/** Throws UsageError for settings that can't hold together. */
export function checkCombination(settings: Settings, file: Place, { models }: Catalogue): void {
  for (const name of ['status.created', 'status.updated'] as const)
    if (isBodiless(settings[name]))
      file.fail(
        `${name} is ${settings[name]}, which has no body; expected a status with one: section 4 returns the record`,
      );
  if (settings['list.defaultSize'] > settings['list.maxSize'])
    file.fail(
      `list.defaultSize is ${settings['list.defaultSize']}; expected at most list.maxSize, ${settings['list.maxSize']}`,
    );
  checkNames(settings, file);
  if (settings['response.total'] !== 'pointer') return;
  const [records, total] = [settings['response.records'], settings['response.totalPointer']];
  const isInside = (one: string, other: string) => `${one}/`.startsWith(`${other}/`);
  const meets = (place: string) => isInside(total, place) || isInside(place, total);
  if (['', ...models.keys()].some((model) => meets(pointerFor(records, model))))
    file.fail(
      `response.totalPointer is "${total}" and response.records "${records}"; expected places beside each other, such as /total and /items`,
    );
}

/** Refuses a name that would mean two things at once. Header names are the same in any case (RFC 9110, 5.1). */
function checkNames(settings: Settings, file: Place): void {
  const place = settings['version.in'];
  const parameters = inForce(settings, [
    'list.offsetParameter',
    'list.pageParameter',
    'list.sizeParameter',
    'list.sortParameter',
    ...(place === 'query' ? (['version.name'] as const) : []),
  ]);
  refuseTwins(parameters, 'query parameter', file);
  const headers = inForce(settings, [
    'auth.header',
    ...(place === 'header' ? (['version.name'] as const) : []),
  ]);
  const lowerCase = ([setting, name]: NameSetting): NameSetting => [setting, name.toLowerCase()];
  refuseTwins(headers.map(lowerCase), 'header', file);
  for (const [setting, name] of [...headers, ...inForce(settings, ['response.totalHeader'])])
    if (isTakenHeader(name))
      file.fail(`${setting} is "${name}", a header with a meaning of its own; expected another name`);
}

type NameSetting = readonly [setting: SettingName, name: string];

function inForce(settings: Settings, names: readonly SettingName[]): NameSetting[] {
  return SETTINGS.filter((setting) => names.includes(setting.name) && applies(setting, settings)).map(
    ({ name }) => [name, String(settings[name])],
  );
}

function refuseTwins(names: readonly NameSetting[], kind: string, file: Place): void {
  for (const [index, [setting, name]] of names.entries()) {
    const twin = names.slice(0, index).find(([, other]) => other === name);
    if (twin) file.fail(`${twin[0]} and ${setting} are both the ${kind} "${name}"; expected different names`);
  }
}
