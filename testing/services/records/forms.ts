import type { Problem } from '../defects/defect.ts';
import { parentField } from '../source/links.ts';
import { type Field, MODELS, type Model } from '../source/source.ts';
import type { Row } from './tables.ts';

/** The forms of values that the source leaves open. The first choice is the usual one. */
export const FORMS = {
  currency: ['number', 'string', 'cents'],
  percent: ['number', 'string'],
  select: ['value', 'string', 'object'],
  bool: ['bool', 'int'],
  datetime: ['iso', 'space', 'local', 'seconds', 'milliseconds'],
  time: ['seconds', 'minutes'],
  /** `text` takes any. */
  duration: ['iso', 'seconds', 'days', 'text'],
  days: ['array', 'from zero', 'mask', 'names'],
  links: ['ids', 'objects'],
  lines: ['objects', 'ids'],
} as const;
export type Forms = { readonly [Name in keyof typeof FORMS]: (typeof FORMS)[Name][number] };

/** The types whose values are any string, and those whose values are numbers. */
export const TEXTS = ['string', 'text', 'markdown', 'email', 'url', 'image'];
export const NUMBERS = ['int', 'float', 'currency', 'percent'];

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const isInt = (value: unknown): value is number => Number.isSafeInteger(value);
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isList = (value: unknown, of: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(of);
export const isObject = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Tells whether a value has the form of its field; lists of values and lines are looked at elsewhere. */
export function hasForm(field: Field, value: unknown, forms: Forms): boolean {
  switch (field.type) {
    case 'int':
      return isInt(value);
    case 'float':
      return isNumber(value);
    case 'currency':
      if (forms.currency === 'cents') return isInt(value);
      return forms.currency === 'number' ? isNumber(value) : isText(value) && /^-?\d+(\.\d+)?$/.test(value);
    case 'percent':
      return forms.percent === 'number' ? isNumber(value) : isText(value) && /^-?\d+(\.\d+)?$/.test(value);
    case 'bool':
      return typeof value === 'boolean' || (forms.bool === 'int' && (value === 0 || value === 1));
    case 'date':
      return isText(value) && isDay(value);
    case 'datetime':
      return isCounted(forms) ? isInt(value) : isText(value) && isMoment(value, forms.datetime);
    case 'time':
      return isText(value) && /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/.test(value);
    case 'duration':
      if (forms.duration === 'text') return isText(value);
      if (forms.duration !== 'iso') return isInt(value) && value >= 0;
      return isText(value) && /^P(?=.)(\d+[YMWD])*(T(\d+[HMS])+)?$/.test(value);
    case 'daysOfWeek':
      if (forms.days === 'mask') return isInt(value) && value >= 0 && value < 128;
      if (forms.days === 'names') return isList(value, (day) => DAYS.includes(String(day)));
      return isList(value, (day) => isInt(day) && isDayOfWeek(forms.days === 'array' ? day : day + 1));
    case 'manyToMany':
      return isList(value, (item) => isInt(forms.links === 'objects' && isObject(item) ? item.id : item));
    case 'lines':
      return isList(value, forms.lines === 'ids' ? isInt : isObject);
    case 'select':
    case 'fkModel':
      return hasSelectForm(field, value, forms);
    default:
      return isText(value);
  }
}

function isDayOfWeek(number: number): boolean {
  return number >= 1 && number <= 7;
}

/** Where the source lists no values, they are texts. */
function hasSelectForm({ values }: Field, value: unknown, { select }: Forms): boolean {
  if (select === 'object') return isObject(value) && 'value' in value;
  if (!values) return isText(value);
  return select === 'string' || isText(values[0]) ? isText(value) : isInt(value);
}

function isInList({ values }: Field, value: unknown): boolean {
  const bare = isObject(value) ? value.value : value;
  return !values || values.map(String).includes(String(bare));
}

function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

function isMoment(text: string, form: Forms['datetime']): boolean {
  const [, day = '', rest = ''] = /^(\d{4}-\d\d-\d\d)(.*)$/.exec(text) ?? [];
  const time = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?/;
  if (form === 'space') return isDay(day) && rest.startsWith(' ') && time.test(rest.slice(1));
  const isZoned = /(Z|[+-]\d\d:\d\d)$/.test(rest);
  return isDay(day) && rest.startsWith('T') && isZoned === (form === 'iso') && time.test(rest.slice(1));
}

/** Returns the errors in the writable fields of a request. */
export function findProblems(
  model: Model,
  sent: Row,
  on: 'create' | 'update',
  forms: Forms,
  { parent, whole = on === 'create' }: { readonly parent?: string; readonly whole?: boolean } = {},
): Problem[] {
  const skipped = parent === undefined ? undefined : parentField(parent, model)?.name;
  return model.fields.flatMap((field): Problem[] => {
    if (field.readonly || field.name === skipped) return [];
    const value = sent[field.name];
    const problem = (kind: Problem['kind']): Problem[] => [{ model, field, kind, on, value }];
    if (value === undefined) return field.required && whole ? problem('missing') : [];
    if (value === null) return field.required ? problem('null') : [];
    if (!hasForm(field, value, forms)) return problem('type');
    if (!isInList(field, value)) return problem('value');
    const line = MODELS.get(field.lines ?? '');
    if (!line || forms.lines === 'ids') return [];
    return (value as Row[]).flatMap((item) =>
      findProblems(line, item, 'create', forms, { parent: model.name }),
    );
  });
}

/** Returns a valid value of a field that has no link and no lines. With 0, it is that of a field that no client sends. */
export function sampleValue({ name, type, values }: Field, number: number, forms: Forms): unknown {
  switch (type) {
    case 'int':
      return number;
    case 'float':
      return number === 0 ? 0 : number + 0.5;
    case 'currency':
      if (forms.currency === 'cents') return number * 1050;
      return forms.currency === 'string' ? `${number * 10}.50` : number * 10.5;
    case 'percent':
      return forms.percent === 'string' ? '21' : 21;
    case 'bool':
      return forms.bool === 'int' ? number % 2 : number % 2 === 1;
    case 'date':
      return `2024-03-0${number}`;
    case 'datetime':
      return writeMoment(number === 0 ? new Date() : new Date(`2024-03-0${number}T10:00:00Z`), forms);
    case 'time':
      return forms.time === 'seconds' ? `0${number}:30:00` : `0${number}:30`;
    case 'duration':
      return { iso: `P${number}D`, text: `P${number}D`, seconds: number * 86_400, days: number }[
        forms.duration
      ];
    case 'daysOfWeek':
      return { array: [number, 7], 'from zero': [0, number % 7], mask: number + 64, names: ['mon', 'sun'] }[
        forms.days
      ];
    case 'manyToMany':
      return forms.links === 'objects' ? [{ id: number }] : [number];
    case 'select':
      return writeMember(values ? values[number % values.length] : 'es', forms);
    case 'email':
      return `old${number}@example.com`;
    case 'url':
    case 'image':
      return `https://example.test/${number}.png`;
    default:
      return `Old ${name} ${number}`;
  }
}

/** A member of a list, as it is shown. */
export function writeMember(value: unknown, { select }: Forms): unknown {
  if (select === 'object') return { value, name: String(value) };
  return select === 'string' ? String(value) : value;
}

export function now(forms: Forms): unknown {
  return writeMoment(new Date(), forms);
}

export function writeMoment(point: Date, { datetime }: Forms): unknown {
  const iso = point.toISOString();
  return {
    iso,
    space: iso.slice(0, 19).replace('T', ' '),
    local: iso.slice(0, 23),
    seconds: Math.floor(point.getTime() / 1000),
    milliseconds: point.getTime(),
  }[datetime];
}

/** Whether points in time are numbers. */
export function isCounted({ datetime }: Pick<Forms, 'datetime'>): boolean {
  return datetime.endsWith('seconds');
}
