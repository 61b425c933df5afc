import type { Field, TypeName } from '../spec/field.ts';

type Fields = Readonly<Record<string, unknown>>;
/** What is kept and shown for a value as it was sent; undefined when it is not of the type. */
type Take = (sent: unknown) => unknown;
type Fault = 'invalid' | 'unparsable' | 'noRecord' | 'noModel' | 'noOperation';

/** One way to speak where the source leaves a choice; `settings` tells a profile what the rest does. */
export type Dialect = {
  /** Settings by their dotted names. */
  readonly settings: Fields;
  /** The headers every request has to have. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly versionHeader?: string;
  readonly mediaType: string;
  parse(body: string): unknown;
  /** What is kept of a value as it was sent; null unsets the field, undefined is a value of another type. */
  take(sent: unknown, field: Field): unknown;
  /** What a field holds that only the service may write. */
  dull(field: Field): unknown;
  readonly refuses: readonly ('unknown' | 'readonly')[];
  readonly update: 'partial' | 'full';
  readonly erase: 'mark' | 'remove';
  readonly unset: 'null' | 'absent';
  readonly lines: 'objects' | 'ids';
  readonly status: Readonly<Record<Fault | 'created' | 'deleted', number>>;
  one(record: Fields): unknown;
  many(records: readonly Fields[], total: number): unknown;
  /** The answer to a delete; undefined is no body. */
  gone(record: Fields): unknown;
  error(status: number, detail: string): { readonly type: string; readonly body: string };
  readonly totalHeader?: string;
  /** The query parameter to sort by; without one there are no filters either. */
  readonly sort?: string;
  /** The other query parameters a list knows. */
  readonly parameters: readonly string[];
  part(query: URLSearchParams): readonly [start: number, size: number];
};

const text: Take = (sent) => (typeof sent === 'string' ? sent : undefined);
const like =
  (form: RegExp): Take =>
  (sent) =>
    form.test(String(text(sent))) ? sent : undefined;
const decimal: Take = (sent) => (typeof sent === 'number' ? sent : undefined);
const whole =
  (least = -Infinity, most = Infinity): Take =>
  (sent) =>
    Number.isInteger(sent) && Number(sent) >= least && Number(sent) <= most ? sent : undefined;
const moment =
  (form: RegExp): Take =>
  (sent) =>
    Number.isNaN(Date.parse(String(sent))) ? undefined : like(form)(sent);
const address: Take = (sent) => (URL.canParse(String(sent)) ? text(sent) : undefined);
const object: Take = (sent) => (isObject(sent) ? sent : undefined);
const fromText =
  (take: Take): Take =>
  (sent) =>
    like(/^-?\d+(\.\d+)?$/)(sent) === undefined ? undefined : take(Number(sent));
const listOf =
  (take: Take): Take =>
  (sent) => {
    const items = Array.isArray(sent) ? sent.map((item) => take(item)) : [undefined];
    return items.includes(undefined) ? undefined : items;
  };

type Takes = Readonly<Record<TypeName, (sent: unknown, field: Field) => unknown>>;
const TAKES: Takes = {
  int: whole(),
  string: text,
  text,
  markdown: text,
  fkModel: text,
  float: decimal,
  percent: decimal,
  currency: decimal,
  bool: (sent) => (typeof sent === 'boolean' ? sent : undefined),
  date: moment(/^\d{4}-\d\d-\d\d$/),
  datetime: moment(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/),
  time: like(/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/),
  email: like(/^[^@\s]+@[^@\s]+$/),
  url: address,
  image: address,
  duration: like(/^P(\d+[YMWD])*(T(\d+[HMS])+)?$/),
  daysOfWeek: listOf(whole(1, 7)),
  select: (sent, { choices }) =>
    (choices?.some(({ value }) => value === sent) ?? true) ? scalar(sent) : undefined,
  manyToMany: listOf(whole(1)),
  lines: listOf(object),
};
const DULL: Partial<Record<TypeName, unknown>> = { int: 0, float: 0, currency: 0, string: '', bool: false };

const byDefault: Dialect = {
  settings: {},
  credentials: {},
  mediaType: 'application/json',
  parse: (body) => JSON.parse(body),
  take: (sent, field) => (sent === null ? null : TAKES[field.type](sent, field)),
  dull: ({ type, choices }) => choices?.[0]?.value ?? (type === 'datetime' ? now() : DULL[type]),
  refuses: ['unknown'],
  update: 'partial',
  erase: 'mark',
  unset: 'null',
  lines: 'objects',
  status: {
    created: 201,
    deleted: 200,
    invalid: 422,
    unparsable: 400,
    noRecord: 404,
    noModel: 404,
    noOperation: 405,
  },
  one: (record) => record,
  many: (records) => records,
  gone: (record) => record,
  error: (status, detail) => ({ type: 'application/problem+json', body: JSON.stringify({ status, detail }) }),
  totalHeader: 'X-Total-Count',
  sort: 'sort',
  parameters: ['offset', 'limit'],
  part: (query) => [Number(query.get('offset')), Math.min(500, Number(query.get('limit') ?? 100))],
};

const FORM_TAKES: Takes = {
  ...TAKES,
  int: fromText(whole()),
  float: fromText(decimal),
  percent: fromText(decimal),
  currency: fromText(whole()),
  bool: (sent) => (['0', '1'].findIndex((digit) => digit === sent) >= 0 ? Number(sent) : undefined),
  datetime: moment(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
  time: like(/^([01]\d|2[0-3]):[0-5]\d$/),
  daysOfWeek: listOf(fromText(whole(1, 7))),
  select: (sent, { choices }) =>
    (choices?.some(({ value }) => String(value) === sent) ?? true) ? text(sent) : undefined,
  manyToMany: listOf(fromText(whole(1))),
};
const TEXTS: readonly TypeName[] = ['string', 'text', 'markdown'];

const legacy: Dialect = {
  ...byDefault,
  settings: {
    'request.encoding': 'form',
    'request.unknownFields': 'ignore',
    'request.readonlyFields': 'reject',
    'request.update': 'full',
    'response.record': '/result/record',
    'response.records': '/result/records',
    'response.total': 'pointer',
    'response.totalPointer': '/meta/total',
    'response.unset': 'absent',
    'status.created': 200,
    'status.invalid': 400,
    'status.unparsable': 415,
    'status.unknownModel': 400,
    'errors.form': 'simple',
    'delete.effect': 'remove',
    'delete.answer': 'flag',
    'list.paging': 'page',
    'list.pageParameter': 'p',
    'list.sizeParameter': 'perPage',
    'list.defaultSize': 20,
    'list.maxSize': 50,
    'list.sortParameter': 'orderBy',
    'types.bool': 'int',
    'types.currency': 'minor',
    'types.datetime': 'space',
    'types.select': 'string',
    'types.time': 'minutes',
    'auth.scheme': 'bearer',
  },
  credentials: { authorization: 'Bearer letmein' },
  mediaType: 'application/x-www-form-urlencoded',
  parse: parseBrackets,
  take: (sent, field) =>
    sent === null || (sent === '' && !TEXTS.includes(field.type))
      ? null
      : FORM_TAKES[field.type](sent, field),
  dull: (field) => {
    if (field.type === 'datetime') return now().slice(0, 19).replace('T', ' ');
    const value = byDefault.dull(field);
    return field.type === 'bool' ? Number(value) : field.choices ? String(value) : value;
  },
  refuses: ['readonly'],
  update: 'full',
  erase: 'remove',
  unset: 'absent',
  status: { ...byDefault.status, created: 200, invalid: 400, unparsable: 415, noModel: 400 },
  one: (record) => ({ result: { record } }),
  many: (records, total) => ({ result: { records }, meta: { total } }),
  gone: () => ({ deleted: true }),
  error: (_, detail) => ({ type: 'application/json', body: JSON.stringify({ error: detail }) }),
  totalHeader: '',
  sort: 'orderBy',
  part: (query) => {
    const size = Math.min(50, Number(query.get('perPage') ?? 20));
    return [(Number(query.get('p') ?? 1) - 1) * size, size];
  },
};
