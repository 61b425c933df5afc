import { isObject, TEXTS } from '../../records/forms.ts';
import type { Row } from '../../records/tables.ts';
import { MODELS, type Model } from '../../source/source.ts';
import type { PlainOptions } from '../options.ts';

const HOUR = 3_600_000;

/** Converts a record to the form of the dialect: points in time, users, unset values, and extra members. */
export function dress(model: Model, row: Row, dialect: PlainOptions): Row {
  const shown: Row = { ...row };
  for (const { common, lines, name, type } of fieldsOf(model)) {
    const value = shown[name];
    const line = MODELS.get(lines ?? '');
    if (line && Array.isArray(value) && dialect.lines === 'objects')
      shown[name] = value.map((item) => (isObject(item) ? dress(line, item, dialect) : item));
    if (type === 'datetime' && typeof value === 'string' && dialect.datetime === 'iso')
      shown[name] = stamp(value, common, dialect);
    if (name in shown) shown[name] = reform(shown[name], type, dialect);
    if (name === 'createUser' || name === 'updateUser') setUser(shown, name, dialect);
    if (dialect.unset === 'blank' && (value ?? null) === null) setBlank(shown, name, type, dialect);
  }
  if (dialect.extras === 'none') return shown;
  const self = `/api/model/${model.name}/${row.id}`;
  const more = model.closed ? {} : { url: self, etag: `"${row.updated}"` };
  return { ...shown, ...more, _links: { self: { href: self } } };
}

function fieldsOf({ fields }: Model) {
  return fields.map((field) => ({ ...field, common: field.name === 'created' || field.name === 'updated' }));
}

function reform(value: unknown, type: string, { shows }: PlainOptions): unknown {
  if (shows === 'decimals as texts' && typeof value === 'number' && /^(currency|percent)$/.test(type))
    return value.toFixed(2);
  if (shows === 'days at midnight' && type === 'date' && typeof value === 'string')
    return `${value}T00:00:00Z`;
  if (shows === 'links as objects' && type === 'manyToMany' && Array.isArray(value))
    return value.map((item) => (typeof item === 'number' ? { id: item } : item));
  return value;
}

function stamp(text: string, common: boolean, { stamps }: PlainOptions): string {
  if (stamps === 'offset') {
    const at = Date.parse(text);
    return Number.isNaN(at) ? text : new Date(at + 2 * HOUR).toISOString().replace('Z', '+02:00');
  }
  if (!common || stamps === 'milliseconds') return text;
  if (stamps === 'seconds') return text.replace(/\.\d+/, '');
  return text.replace(/(?:\.(\d{3}))?Z$/, (_, millis = '000') => `.${millis}417Z`);
}

function setUser(shown: Row, name: string, { unset, users }: PlainOptions): void {
  if (users === 'zero' || !(name in shown)) return;
  if (users === 'seven') shown[name] = 7;
  else if (unset === 'absent') delete shown[name];
  else shown[name] = null;
}

function setBlank(shown: Row, name: string, type: string, { days, duration }: PlainOptions): void {
  const isText = TEXTS.includes(type) || (type === 'duration' && duration === 'text');
  const isList = type === 'manyToMany' || (type === 'daysOfWeek' && days !== 'mask');
  shown[name] = isList ? [] : isText ? '' : null;
}
