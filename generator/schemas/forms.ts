import type { Field } from '../../spec/catalogue/field.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { SETTINGS } from '../../spec/profile/profile.ts';

/** The settings that say which form a type has on the wire. */
type TypeSetting = Extract<keyof Profile, `types.${string}`>;

/** What each option of such a setting means, to a reader of one field. */
const FORMS: { readonly [Name in TypeSetting]: Readonly<Record<Profile[Name], string>> } = {
  'types.currency': {
    // 99 999 999 999 999 cents have 14 digits; a double keeps 15, a float 6.
    number: 'An amount of money such as 12.5. A double keeps it exact to the cent',
    string: 'An amount of money as a string with at most two decimals',
    minor: 'An amount of money in cents, as an integer',
  },
  'types.percent': {
    number: 'A percentage, where 21 means 21 %',
    string: 'A percentage as a string, where "21" means 21 %',
  },
  'types.select': {
    value: 'A value from the value list',
    string: 'A value from the value list, as a string',
    object: 'A value from the value list, as an object with value and name',
  },
  'types.bool': { bool: 'true or false', int: '1 for true, 0 for false' },
  'types.date': { iso: 'A date such as 2025-10-22', midnight: 'A date such as 2025-10-22T00:00:00Z' },
  'types.datetime': {
    iso: 'A date and time such as 2025-10-22T09:30:00Z',
    space: 'A date and time in UTC such as 2025-10-22 09:30:00',
    local: 'A date and time without a time zone, such as 2025-10-22T09:30:00',
    milliseconds: 'A point in time as milliseconds since 1970-01-01 UTC',
  },
  'types.time': { seconds: 'A time of day such as 09:30:00', minutes: 'A time of day such as 09:30' },
  'types.duration': {
    iso8601: 'A duration such as P30D (ISO 8601)',
    seconds: 'A duration in seconds',
  },
  'types.daysOfWeek': {
    array: 'Days of the week as numbers from 1 (Monday) to 7 (Sunday)',
    index: 'Days of the week as numbers from 0 (Sunday) to 6 (Saturday)',
    mask: 'Days of the week as a bit mask, with bit 0 for Monday',
  },
  'types.manyToMany': {
    ids: 'An array of IDs',
    objects: 'An array of objects with an ID',
  },
  'types.fkModel': { name: 'The name of the model that fkId refers to' },
  'types.image': { url: 'The URL of an image' },
  'types.lines': { objects: 'The lines as complete records', ids: 'The IDs of the lines' },
};

/** How a field looks on the wire, where the source leaves that open; undefined where its type says all. */
export function formOf(field: Field, profile: Profile): string | undefined {
  const setting = settingOf(field);
  const forms: Readonly<Record<string, string>> | undefined = setting && FORMS[setting];
  return setting && forms?.[profile[setting]];
}

/** Whether a field has a form that only the profile gives. */
export function hasAssumedForm(field: Field): boolean {
  return settingOf(field) !== undefined;
}

function settingOf({ type }: Field): TypeSetting | undefined {
  return TYPE_SETTINGS.get(`types.${type}`);
}

const TYPE_SETTINGS: ReadonlyMap<string, TypeSetting> = new Map(
  SETTINGS.flatMap(({ name }) => (name in FORMS ? [[name, name as TypeSetting] as const] : [])),
);
