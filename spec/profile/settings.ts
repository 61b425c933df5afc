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
import { paging } from './paging.ts';
import {
  readTransitions,
  readValueLists,
  TRANSITIONS,
  type Transitions,
  VALUE_LISTS,
  type ValueLists,
} from './value-lists.ts';

/** Paging, order and filters of lists. */
const listSettings = {
  'list.paging': paging({
    section: '4 (rule 4) and 8',
    about:
      'How clients request part of a list. The style `offset` counts records from 0, `page` counts pages from 1, and `index` counts pages from 0. `size` and `from` are the query parameters for the number of records per page, and for the first record or the page. A list has `default` records if the request sets no size, and at most `max` records. The service treats a larger size as this maximum. `none` means that a list always has all records.',
  }),
  'list.sort': open<'none' | `field ${string}` | `fields ${string}`>(
    wordOrPlace(['none'], ['field', 'fields']),
    ['field sort', 'fields sort', 'field orderBy', 'none'],
    {
      section: '4, rule 4',
      about:
        'Whether clients can sort lists, and the query parameter for it. `field sort` takes the name of one field in the parameter `sort`. `fields sort` takes several names, separated by commas. A minus sign before a name means descending order.',
    },
  ),
  'list.filter': oneOf(['contains', 'equality', 'brackets', 'none'], {
    section: '4, rule 4',
    about:
      'How clients filter a list. `equality` is a query parameter with the name of a field, and its value. `contains` also accepts part of a string, as in `name[contains]`. `brackets` also accepts other operators, as in `price[gte]`: `gt`, `gte`, `lt`, `lte`, `in` (values separated by commas), `null` (`true` or `false`).',
  }),
};

/** The wire formats of values. */
const typesSettings = {
  'types.currency': oneOf(['number', 'string', 'minor'], {
    about: 'The wire format of money: a number, a string with two to four decimals, or an integer in cents.',
  }),
  'types.percent': oneOf(['number', 'string'], {
    about: 'The wire format of a percentage: a number (21 means 21 %), or a string.',
  }),
  'types.select': oneOf(['value', 'string', 'object'], {
    about:
      'The wire format of a value list member: its value, its value as a string, or an object with `value` and `name`.',
  }),
  'types.bool': oneOf(['bool', 'int'], {
    about: 'The wire format of a boolean: `true` and `false`, or 1 and 0.',
  }),
  'types.date': oneOf(['iso', 'midnight'], {
    about: 'The wire format of a date: `2025-10-22`, or midnight in UTC as `2025-10-22T00:00:00Z`.',
  }),
  'types.datetime': oneOf(['iso', 'space', 'local', 'seconds', 'milliseconds'], {
    about:
      'The wire format of a date and time: `2025-10-22T09:30:00Z`, `2025-10-22 09:30:00` in UTC, `2025-10-22T09:30:00` without a time zone, or seconds or milliseconds since 1970.',
  }),
  'types.time': oneOf(['seconds', 'minutes'], {
    about: 'The wire format of a time of day: `09:30:00`, or `09:30`.',
  }),
  'types.duration': oneOf(['iso8601', 'seconds'], {
    about: 'The wire format of a duration: ISO 8601 such as `P30D`, or an integer in seconds.',
  }),
  'types.daysOfWeek': oneOf(['array', 'mask', 'index'], {
    about:
      'The wire format of days of the week: an array of numbers from 1 (Monday) to 7, an integer with bit 0 for Monday, or an array of numbers from 0 (Sunday) to 6.',
  }),
  'types.manyToMany': oneOf(['ids', 'objects'], {
    about: 'The wire format of linked records: an array of IDs, or an array of objects with `id`.',
  }),
  'types.fkModel': oneOf(['name'], {
    about: 'The wire format of a reference to a model: the name of the model.',
  }),
  'types.image': oneOf(['url'], { about: 'The wire format of an image: its URL.' }),
  'types.lines': oneOf(['objects', 'ids'], {
    about: 'The wire format of the lines of a record: complete records, or an array of IDs.',
  }),
};

/** The required credentials and version. */
const accessSettings = {
  auth: open<'none' | 'bearer' | 'basic' | `header ${string}`>(
    wordOrPlace(['none', 'bearer', 'basic'], ['header']),
    ['none', 'bearer', 'basic', 'header X-API-Key'],
    {
      section: '5',
      about:
        'How clients authenticate. `header X-API-Key` is an API key in that header. Without credentials, the service returns 401.',
    },
  ),
  version: open<'none' | `header ${string}` | `query ${string}`>(
    wordOrPlace(['none'], ['header', 'query']),
    ['none', 'header Api-Version', 'query Api-Version', 'query version'],
    {
      section: '9',
      about:
        'The header or query parameter in which clients send the version label. If the service requires it, a request without it is invalid.',
    },
  ),
};

/** The effect of a delete and its response. */
const deleteSettings = {
  'delete.effect': oneOf(['mark', 'mark-listed', 'mark-only-listed', 'remove'], {
    section: '4, rule 6',
    about:
      'The effect of a delete. `mark` sets the field `deleted`; clients can still retrieve the record, and lists omit it. With `mark-listed`, lists include it too. With `mark-only-listed`, only lists include it. `remove` removes the record.',
  }),
  'delete.answer': oneOf(['record', 'none', 'flag'], {
    section: '4',
    about:
      'The response to a delete. `record` is the deleted record, `none` is no body, and `flag` is an object with only the field `deleted`.',
  }),
};

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

/** The limits for values, status changes, and clients. */
const limitsSettings = {
  transitions: open<Transitions>(TRANSITIONS, ['any', STATES], {
    read: readTransitions,
    section: '3',
    about:
      'The allowed changes of status fields. `any` allows all. Otherwise, each field lists the values that each value can change to. `new` lists the values that a new record can have; without `new`, it can have any.',
  }),
  'limits.text': open<'none' | number>(LIMIT, ['none', 255], {
    section: '8',
    about: 'The maximum length of a string, in characters. `learn` finds limits up to 10,000.',
  }),
  'limits.rate': open<'none' | number>(LIMIT, ['none', 20000], {
    section: '8',
    about: 'The maximum number of requests per second. Above it, the service returns 429 with `Retry-After`.',
  }),
  values: open<ValueLists>(VALUE_LISTS, [{}, VALUES], {
    read: readValueLists,
    section: '2.4',
    about:
      'Value lists that the source omits, by `model.field`. The key `fkModel` lists the models that `fkModel` fields can name. A list is complete. If there might be other values, write `{ works: [es] }` with values that the service accepts.',
  }),
};

/** The format of requests. */
const requestSettings = {
  'request.encoding': oneOf(['json', 'form'], {
    section: '4, rule 5',
    about:
      'The encoding of request bodies. `form` is `application/x-www-form-urlencoded` with brackets, as in `tags[]=4` and `lines[0][units]=2`.',
  }),
  'request.unknownFields': oneOf(['reject', 'ignore'], {
    section: '4, rule 2',
    about: 'Whether the service rejects or ignores a field or query parameter that the model does not have.',
  }),
  'request.readonlyFields': oneOf(['ignore', 'reject'], {
    section: '4, rule 2',
    about: 'Whether the service ignores or rejects a readonly field in a request. It never stores the value.',
  }),
  'request.references': oneOf(['accept', 'reject', 'some'], {
    section: '4, rule 2',
    about:
      'Whether the service accepts or rejects a link to a record that does not exist. `some` means that it checks some links and not others; the mock then checks the links of required fields.',
  }),
  'request.blankStrings': oneOf(['reject', 'accept'], {
    section: '4, rule 2',
    about:
      'Whether the service rejects or accepts an empty string in a required `string`, `text`, or `markdown` field. Spaces are not empty.',
  }),
  'request.update': oneOf(['partial', 'merge', 'full'], {
    section: '4, rule 1',
    about:
      'The effect of an update on omitted fields. `partial` keeps their values. `merge` keeps them but needs all required fields. `full` clears them and needs all required fields.',
  }),
  'request.null': oneOf(['clear', 'ignore'], {
    section: '4, rule 1',
    about:
      'The effect of null for an optional field in an update. `clear` removes the value. `ignore` treats the field as omitted.',
  }),
};

/** The format of responses. */
const responseSettings = {
  'response.record': open(MODEL_POINTER, ['', '/data', '/result/{model_name}'], {
    section: '4, rule 5',
    about:
      'Where a response contains its record, as a JSON pointer. `""` is the whole body. The pointer can include the model name, as in `/{model}`. For the model `lineItem`, `{model_name}` is `line_item`, `{model-name}` is `line-item`, and `{Model}` is `LineItem`.',
  }),
  'response.records': open(MODEL_POINTER, ['', '/data', '/_embedded/{models}'], {
    section: '4, rule 5',
    about:
      'Where a list response contains its records, as a JSON pointer. `""` is the whole body. The pointer can include the model name, as in `/{models}` or `/_embedded/{model}List`. For the model `lineItem`, `{model_names}` is `line_items`, `{model-names}` is `line-items`, and `{Models}` is `LineItems`.',
  }),
  'response.total': open<'none' | `header ${string}` | `/${string}`>(
    wordOrPlace(['none'], ['header', 'body']),
    ['header X-Total-Count', 'header X-Total', '/total', '/meta/total', 'none'],
    {
      section: '4, rule 4',
      about:
        'Where a list response contains the total number of records on all pages: a header, or a member of the body as a JSON pointer.',
    },
  ),
  'response.unset': oneOf(['null', 'absent'], {
    section: '4, rule 5',
    about: 'How a response shows a field without a value.',
  }),
};

/** The statuses of responses, and the body of errors. */
const statusSettings = {
  'status.created': open(SUCCESS, [201, 200], { about: 'The status of a successful create.' }),
  'status.updated': open(SUCCESS, [200, 202], { about: 'The status of a successful update.' }),
  'status.deleted': open(SUCCESS, [200, 204], {
    about: 'The status of a successful delete. 204 has no body, regardless of `delete.answer`.',
  }),
  'status.invalid': open(REFUSAL, [422, 400, 409], {
    about: 'The status if a field or parameter is missing, invalid, or not allowed.',
  }),
  'status.unparsable': open(REFUSAL, [400, 415], {
    about: "The status if a body can't be parsed, has an unsupported media type, or is not an object.",
  }),
  'status.unknownRecord': open(REFUSAL, [404, 410], { about: 'The status if no record has the ID.' }),
  'status.unknownModel': open(REFUSAL, [404, 400], { about: 'The status if no model has the name.' }),
  'status.noOperation': open(ABSENCE, [405, 404, 501], {
    about: 'The status if the method or operation does not exist.',
  }),
  'errors.form': oneOf(['problem', 'simple', 'empty'], {
    section: '7',
    about:
      'The body of an error. `problem` is RFC 9457 with a list of violations, `simple` is an object with `error` and `violations`, and `empty` is no body.',
  }),
};

const DECLARATIONS = {
  ...requestSettings,
  ...responseSettings,
  ...statusSettings,
  ...deleteSettings,
  ...listSettings,
  ...typesSettings,
  ...accessSettings,
  ...limitsSettings,
};

export type SettingName = keyof typeof DECLARATIONS;

/** An answer to every setting. */
export type Settings = {
  readonly [Name in SettingName]: (typeof DECLARATIONS)[Name] extends Declaration<infer Value>
    ? Value
    : never;
};

/** A setting with its name. */
export type Setting = Declaration<unknown> & {
  readonly name: SettingName;
  /** The section of the source that leaves it open. */
  readonly section: string;
  /** Whether a running mock can change the setting, or only the sizes in it. */
  readonly live?: 'all' | 'sizes';
};

/** The sections that leave whole groups open. */
const SECTIONS: Readonly<Record<string, string>> = { types: '2', status: '7' };

/** Requests, and records in responses, must keep their form, so that a client of the document of a mock still works. */
const LIVE = /^(delete\.|limits\.|request\.(?!encoding)|status\.|transitions)/;

/** The settings in the order of `profile.default.yaml`. */
export const SETTINGS: readonly Setting[] = Object.keys(DECLARATIONS)
  .filter(isSettingName)
  .map((name) => {
    const live = name === 'list.paging' ? 'sizes' : LIVE.test(name) && 'all';
    const section = SECTIONS[name.split('.')[0] ?? ''] ?? '';
    return { section, ...DECLARATIONS[name], name, ...(live && { live }) };
  });

const OF_SERVICE = /^(auth|version|limits\.rate|status\.unknownModel|transitions|values)$/;
const OF_FIELD =
  /^(types\..*|response\.unset|request\.(references|blankStrings|null)|limits\.text|list\.filter)$/;

/** Returns where a setting can have an exception: at a field, only at a model, or nowhere. */
export function scopeOf(setting: SettingName): 'field' | 'model' | 'service' {
  if (OF_FIELD.test(setting)) return 'field';
  return OF_SERVICE.test(setting) ? 'service' : 'model';
}

export function isSettingName(word: string): word is SettingName {
  return Object.hasOwn(DECLARATIONS, word);
}

// Each value is the default of the declaration that its type was taken from.
export const DEFAULTS = Object.fromEntries(
  SETTINGS.map((setting) => [setting.name, setting.default]),
) as Settings;
