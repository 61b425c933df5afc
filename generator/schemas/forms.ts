import type { Field } from '../../spec/catalogue/field.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { SETTINGS } from '../../spec/profile/profile.ts';

/** The settings that say which form a type has on the wire. */
type TypeSetting = Extract<keyof Profile, `types.${string}`>;

/** What each option of such a setting means, to a reader of one field. */
const FORMS: { readonly [Name in TypeSetting]: Readonly<Record<Profile[Name], string>> } = {
  'types.currency': {
    // 99 999 999 999 999 cents have 14 digits; a double keeps 15, a float 6.
    number: 'An amount of money in whole units; a double keeps it to the cent',
    string: 'An amount of money as a text with at most two decimals',
    minor: 'An amount of money as a whole number of cents',
  },
  'types.percent': { number: '21 is 21 %', string: 'A text; 21 is 21 %' },
  'types.select': {
    value: 'A member of a value list, as its value',
    string: 'A member of a value list, as a text',
    object: 'A member of a value list, as an object with its value and name',
  },
  'types.bool': { bool: 'true or false', int: '1 for yes, 0 for no' },
  'types.date': { iso: 'A day such as 2025-10-22', midnight: 'A day such as 2025-10-22T00:00:00Z' },
  'types.datetime': {
    iso: 'A point in time such as 2025-10-22T09:30:00Z',
    space: 'A point in time such as 2025-10-22 09:30:00, in UTC',
    local: 'A point in time such as 2025-10-22T09:30:00, without a zone',
    milliseconds: 'A point in time in milliseconds since 1970',
  },
  'types.time': { seconds: 'A time of day such as 09:30:00', minutes: 'A time of day such as 09:30' },
  'types.duration': {
    iso8601: 'A length of time such as P30D (ISO 8601)',
    seconds: 'A length of time in seconds',
  },
  'types.daysOfWeek': {
    array: 'Days as numbers from 1 (Monday) to 7',
    index: 'Days as numbers from 0 (Sunday) to 6',
    mask: 'Days as a number with bit 0 for Monday',
  },
  'types.manyToMany': {
    ids: 'Ids of the linked records',
    objects: 'The linked records, as objects with an id',
  },
  'types.fkModel': { name: 'The name of the model of the record that fkId points to' },
  'types.image': { url: 'The address of an image' },
  'types.lines': { objects: 'The lines in full', ids: 'The ids of the lines' },
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
