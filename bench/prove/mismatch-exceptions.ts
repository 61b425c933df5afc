import { type Profile, pagesOf, placeIn, type SettingName } from '../../spec/profile/profile.ts';

/** A wrong supposition that no rule of its setting can name, or that also breaks stated rules. */
export type Exception = {
  readonly setting: SettingName;
  readonly why: string;
  /** Whether the run shows that something is wrong all the same. `in-stated-rules`: a rule of the setting fails, too. */
  readonly shows: 'in-operations' | 'in-stated-rules' | 'nowhere';
  readonly when?: (spoken: Profile, supposed: Profile) => boolean;
};

const EXCEPTIONS: readonly Exception[] = [
  {
    setting: 'request.references',
    when: (_, supposed) => supposed['request.references'] === 'some',
    why: 'a service that checks some links may accept or reject any of them',
    shows: 'nowhere',
  },
  {
    setting: 'request.references',
    when: (spoken, supposed) =>
      spoken['request.references'] === 'some' && supposed['request.references'] === 'accept',
    why: 'only links of optional fields fail the rule, because a link is inferred; the mock accepts these',
    shows: 'nowhere',
  },
  {
    setting: 'auth',
    when: (spoken, supposed) => isOtherName(spoken.auth, supposed.auth),
    why: 'a key in another header is no key: nothing is answered, and every case says so',
    shows: 'in-operations',
  },
  {
    setting: 'types.currency',
    when: (spoken, supposed) =>
      spoken['types.currency'] === 'minor' && supposed['types.currency'] === 'number',
    why: 'a whole number of cents is a number too; amounts with a fraction are refused',
    shows: 'in-operations',
  },
  {
    setting: 'values',
    when: (_, supposed) => Object.keys(supposed.values).length === 0,
    why: 'where no list is known, values are sent that records show, and these are taken',
    shows: 'nowhere',
  },
  {
    setting: 'list.paging',
    when: (spoken, supposed) => supposed['list.paging'] === 'none' && pagesOf(spoken)?.size !== 'limit',
    why: 'a profile without pages names no parameter, and a check tries only the usual one',
    shows: 'nowhere',
  },
  {
    setting: 'response.total',
    when: (spoken, supposed) =>
      supposed['response.total'] === 'none' &&
      ['header X-Total', '/meta/total'].includes(spoken['response.total']),
    why: 'a profile without a total names no place, and a check looks only at the usual ones',
    shows: 'nowhere',
  },
  {
    setting: 'list.paging',
    when: ({ 'list.paging': spoken }, { 'list.paging': supposed }) =>
      spoken !== 'none' &&
      supposed !== 'none' &&
      spoken.style === 'index' &&
      supposed.style === 'page' &&
      spoken.from === supposed.from,
    why: 'the first page is never read, so records are missing in lists',
    shows: 'in-stated-rules',
  },
  {
    setting: 'list.sort',
    when: (spoken, supposed) => spoken['list.sort'] === 'field orderBy' && supposed['list.sort'] === 'none',
    why: 'a profile without sorting names no parameter, and a check tries only the usual ones',
    shows: 'nowhere',
  },
  {
    setting: 'request.update',
    when: (_, supposed) => supposed['request.update'] === 'partial',
    why: 'an update of one field is refused',
    shows: 'in-stated-rules',
  },
  {
    setting: 'response.unset',
    when: (_, supposed) => supposed['response.unset'] === 'null',
    why: 'a field that is not shown is missing',
    shows: 'in-stated-rules',
  },
  {
    setting: 'limits.text',
    when: (_, supposed) => supposed['limits.text'] === 'none',
    why: 'no length is known that every text of every service takes',
    shows: 'nowhere',
  },
  {
    setting: 'limits.rate',
    why: 'no burst of requests is sent to find a limit',
    shows: 'nowhere',
  },
];

/** Whether two places differ only in the name. */
function isOtherName(one: string, other: string): boolean {
  const [place, otherPlace] = [placeIn(one), placeIn(other)];
  return place !== undefined && place.in === otherPlace?.in;
}

export function findException(
  setting: SettingName,
  spoken: Profile,
  supposed: Profile,
): Exception | undefined {
  return EXCEPTIONS.find((known) => known.setting === setting && (known.when?.(spoken, supposed) ?? true));
}
