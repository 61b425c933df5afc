import {
  ABSENCE,
  type Declaration,
  LIMIT,
  MODEL_POINTER,
  oneOf,
  open,
  REFUSAL,
  SUCCESS,
  wordOrPlace,
} from './kinds.ts';
import { PAGING } from './paging.ts';
import rows from './settings.json' with { type: 'json' };
import {
  readTransitions,
  readValueLists,
  TRANSITIONS,
  type Transitions,
  VALUE_LISTS,
  type ValueLists,
} from './value-lists.ts';

/** An example of allowed changes. */
const STATES = {
  'stockOrder.status': { new: [0], '0': [1], '1': [2, 3], '2': [3], '3': [] },
  'relationship.status': { '1': [2, 3, 4], '2': [4], '3': [4], '4': [2] },
};

/** An example of value lists. */
const VALUES = {
  'customer.language': ['es', 'en', 'ca'],
  fkModel: ['subscriptionCustomer', 'lockerCustomer', 'voucherPrice', 'bookingDrawItem', 'stockDeliveryLine'],
};

/** The options of each setting, with the default first. `settings.json` has their meaning. */
const DECLARATIONS = {
  'request.encoding': oneOf('json', 'form'),
  'request.unknownFields': oneOf('reject', 'ignore'),
  'request.readonlyFields': oneOf('ignore', 'reject'),
  'request.references': oneOf('accept', 'reject', 'some'),
  'request.blankStrings': oneOf('reject', 'accept'),
  'request.update': oneOf('partial', 'merge', 'full'),
  'request.null': oneOf('clear', 'ignore'),
  'response.record': open(MODEL_POINTER, ['', '/data', '/result/{model_name}']),
  'response.records': open(MODEL_POINTER, ['', '/data', '/_embedded/{models}']),
  'response.total': open<'none' | `header ${string}` | `/${string}`>(
    wordOrPlace(['none'], ['header', 'body']),
    ['header X-Total-Count', 'header X-Total', '/total', '/meta/total', 'none'],
  ),
  'response.unset': oneOf('null', 'absent'),
  'status.created': open(SUCCESS, [201, 200]),
  'status.updated': open(SUCCESS, [200, 202]),
  'status.deleted': open(SUCCESS, [200, 204]),
  'status.invalid': open(REFUSAL, [422, 400, 409]),
  'status.unparsable': open(REFUSAL, [400, 415]),
  'status.unknownRecord': open(REFUSAL, [404, 410]),
  'status.unknownModel': open(REFUSAL, [404, 400]),
  'status.noOperation': open(ABSENCE, [405, 404, 501]),
  'errors.form': oneOf('problem', 'simple', 'empty'),
  'delete.effect': oneOf('mark', 'mark-listed', 'mark-only-listed', 'remove'),
  'delete.answer': oneOf('record', 'none', 'flag'),
  'list.paging': PAGING,
  'list.sort': open<'none' | `field ${string}` | `fields ${string}`>(
    wordOrPlace(['none'], ['field', 'fields']),
    ['field sort', 'fields sort', 'field orderBy', 'none'],
  ),
  'list.filter': oneOf('contains', 'equality', 'brackets', 'none'),
  'types.currency': oneOf('number', 'string', 'minor'),
  'types.percent': oneOf('number', 'string'),
  'types.select': oneOf('value', 'string', 'object'),
  'types.bool': oneOf('bool', 'int'),
  'types.date': oneOf('iso', 'midnight'),
  'types.datetime': oneOf('iso', 'space', 'local', 'seconds', 'milliseconds'),
  'types.time': oneOf('seconds', 'minutes'),
  'types.duration': oneOf('iso8601', 'seconds'),
  'types.daysOfWeek': oneOf('array', 'mask', 'index'),
  'types.manyToMany': oneOf('ids', 'objects'),
  'types.fkModel': oneOf('name'),
  'types.image': oneOf('url'),
  'types.lines': oneOf('objects', 'ids'),
  auth: open<'none' | 'bearer' | 'basic' | `header ${string}`>(
    wordOrPlace(['none', 'bearer', 'basic'], ['header']),
    ['none', 'bearer', 'basic', 'header X-API-Key'],
  ),
  version: open<'none' | `header ${string}` | `query ${string}`>(wordOrPlace(['none'], ['header', 'query']), [
    'none',
    'header Api-Version',
    'query Api-Version',
    'query version',
  ]),
  transitions: open<Transitions>(TRANSITIONS, ['any', STATES], readTransitions),
  'limits.text': open<'none' | number>(LIMIT, ['none', 255]),
  'limits.rate': open<'none' | number>(LIMIT, ['none', 20000]),
  values: open<ValueLists>(VALUE_LISTS, [{}, VALUES], readValueLists),
};

export type SettingName = keyof typeof DECLARATIONS;

/** An answer to every setting. */
export type Settings = {
  readonly [Name in SettingName]: (typeof DECLARATIONS)[Name] extends Declaration<infer Value>
    ? Value
    : never;
};

/** The meaning of a setting, for people. */
type Meaning = {
  /** The section of the source that leaves it open. */
  readonly section: string;
  /** Where it can have an exception: at a field, only at a model, or nowhere. */
  readonly scope: 'field' | 'model' | 'service';
  /** Whether a running mock can change it, or only the sizes in it. */
  readonly live?: 'all' | 'sizes';
  /** The meaning of the setting, in one sentence, and of its options. */
  readonly about: string;
  /** The meaning of each option of a wire format. */
  readonly forms?: Readonly<Record<string, string>>;
};

/** A setting with its name. */
export type Setting = Declaration<unknown> &
  Meaning & { readonly name: SettingName; readonly default: unknown };

const MEANINGS = rows as Readonly<Record<SettingName, Meaning>>;

/** The settings in the order of `profile.default.yaml`. */
export const SETTINGS: readonly Setting[] = Object.keys(DECLARATIONS)
  .filter(isSettingName)
  .map((name) => {
    const declared: Declaration<unknown> = DECLARATIONS[name];
    const meaning = MEANINGS[name];
    const forms = Object.entries(meaning.forms ?? {}).map(([option, form]) => ` \`${option}\`: ${form}.`);
    const about = meaning.about + forms.join('');
    return { ...meaning, ...declared, name, default: declared.variants[0], about };
  });

/** Returns where a setting can have an exception. */
export function scopeOf(setting: SettingName): Meaning['scope'] {
  return MEANINGS[setting].scope;
}

export function isSettingName(word: string): word is SettingName {
  return Object.hasOwn(DECLARATIONS, word);
}

// Each value is the default of the declaration that its type was taken from.
export const DEFAULTS = Object.fromEntries(
  SETTINGS.map((setting) => [setting.name, setting.default]),
) as Settings;
