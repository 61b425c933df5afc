import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Place } from '../files/place.ts';
import { readAll } from '../files/usage-error.ts';
import { pointerFor } from '../wire/model-place.ts';
import { headerIn, placeIn, sortingIn } from './kinds.ts';
import { pagesOf } from './paging.ts';
import type { Settings } from './settings.ts';

/** Headers that mean something already: to HTTP itself, to a browser, to the encoding of a body, or to this kit. */
const RESERVED = [
  /^(access-control|content|if|proxy|sec)-/i,
  /^accept(-(charset|encoding|language|patch|post|ranges))?$/i,
  /^(age|allow|authorization|cache-control|connection|cookie|date|early-data|etag|expect|expires|forwarded)$/i,
  /^(alt-svc|from|host|keep-alive|last-modified|link|location|max-forwards|origin|pragma|prefer)$/i,
  /^(preference-applied|priority|range|referer|retry-after|server|set-cookie|sl-violations)$/i,
  /^(strict-transport-security|te|trailer|transfer-encoding|upgrade|user-agent|vary|via|warning)$/i,
  /^www-authenticate$/i,
];

/** The statuses of a success that has no body (RFC 9110, 15.3.5 and 15.3.6). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205;
}

/** Throws UsageError for settings that can't hold together. */
export function checkCombination(settings: Settings, file: Place, catalogue: Catalogue): void {
  const checks = [checkStatuses, checkSizes, checkParameters, checkHeaders, checkPointers];
  readAll(checks, (check) => check(settings, file, catalogue));
}

function checkStatuses(settings: Settings, file: Place): void {
  readAll(['status.created', 'status.updated'] as const, (name) => {
    if (isBodiless(settings[name]))
      file.fail(
        `${name} can't be ${settings[name]} because that status has no body, and section 4 returns the record. Use another status from 200 to 299.`,
      );
  });
}

function checkSizes(settings: Settings, file: Place): void {
  const pages = pagesOf(settings);
  if (pages && pages.default > pages.max)
    file.fail(`default of list.paging must be at most max (${pages.max}), but is ${pages.default}.`);
}

function checkPointers(settings: Settings, file: Place, { models }: Catalogue): void {
  const [records, total] = [settings['response.records'], settings['response.total']];
  if (placeIn(total)?.in !== 'body') return;
  const isInside = (one: string, other: string) => `${one}/`.startsWith(`${other}/`);
  const meets = (place: string) => isInside(total, place) || isInside(place, total);
  if (['', ...models.keys()].some((model) => meets(pointerFor(records, model))))
    file.fail(
      `response.total ("${total}") and response.records ("${records}") overlap. Use separate places, such as /total and /items.`,
    );
}

/** Refuses a parameter that would mean two things at once. */
function checkParameters(settings: Settings, file: Place): void {
  const pages = pagesOf(settings);
  const parameters: NamedParameter[] = [];
  if (pages) parameters.push(['from of list.paging', pages.from], ['size of list.paging', pages.size]);
  const sorting = sortingIn(settings['list.sort']);
  if (sorting) parameters.push(['list.sort', sorting.parameter]);
  const version = placeIn(settings.version);
  if (version?.in === 'query') parameters.push(['version', version.name]);
  refuseTwins(parameters, 'query parameter', file);
}

/** The same for headers, whose names ignore case (RFC 9110, 5.1). */
function checkHeaders(settings: Settings, file: Place): void {
  const inHeaders = (['auth', 'version', 'response.total'] as const).flatMap((setting): NamedParameter[] => {
    const name = headerIn(settings[setting]);
    return name === undefined ? [] : [[setting, name]];
  });
  const headers = inHeaders.filter(([setting]) => setting !== 'response.total');
  const lowerCase = ([setting, name]: NamedParameter): NamedParameter => [setting, name.toLowerCase()];
  refuseTwins(headers.map(lowerCase), 'header', file);
  // An own scheme, such as Token, is a key in the header Authorization.
  for (const [setting, name] of inHeaders)
    if (RESERVED.some((form) => form.test(name)) && !(setting === 'auth' && /^authorization$/i.test(name)))
      file.fail(`${setting} can't be "${name}" because that header is reserved. Use another name.`);
}

type NamedParameter = readonly [setting: string, name: string];

function refuseTwins(names: readonly NamedParameter[], kind: string, file: Place): void {
  for (const [index, [setting, name]] of names.entries()) {
    const twin = names.slice(0, index).find(([, other]) => other === name);
    if (twin) file.fail(`${twin[0]} and ${setting} use the same ${kind} "${name}". Use different names.`);
  }
}
