import { isObject, NUMBERS, TEXTS } from '../../records/forms.ts';
import { type Records, referrers } from '../../records/records.ts';
import type { Row, Tables } from '../../records/tables.ts';
import { linkOf } from '../../source/links.ts';
import { type Field, MODELS, type Model } from '../../source/source.ts';
import type { PlainOptions } from '../options.ts';

/** The lengths of columns whose names end like this; no column is longer than a text of 255. */
const SHORT: readonly (readonly [RegExp, number])[] = [
  [/phone|zipCode|taxNumber|Code$|Id$|Digit$/i, 30],
  [/^(name|firstName|lastName|city|number|title|serie)$/, 80],
];

/** Returns the faults in sent values by field. The source leaves these business rules open. */
export function faultsOf(model: Model, sent: Row, tables: Tables, dialect: PlainOptions): Row {
  return Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]) => {
      const field = model.fields.find((known) => known.name === name);
      if (!field || field.readonly) return [];
      const fault = faultOf(model, field, value, tables, dialect);
      return fault === undefined ? [] : [[name, fault]];
    }),
  );
}

function faultOf(
  model: Model,
  field: Field,
  value: unknown,
  tables: Tables,
  dialect: PlainOptions,
): string | undefined {
  if (value === null) return dialect.nulls === 'refused' ? 'may not be null' : undefined;
  if (typeof value === 'string' && TEXTS.includes(field.type)) return faultOfText(field, value, dialect);
  // An id is as large as the service gives it.
  if (NUMBERS.includes(field.type) && linkOf(model, field) === undefined)
    return faultOfNumber(field, value, dialect);
  const line = MODELS.get(field.lines ?? '');
  if (line && Array.isArray(value) && dialect.lines === 'objects')
    for (const item of value.filter(isObject))
      for (const fault of Object.values(faultsOf(line, item, tables, dialect))) return String(fault);
  return faultOfLinks();

  function faultOfLinks(): string | undefined {
    if (dialect.linksLead === 'anywhere') return undefined;
    const to = linkOf(model, field);
    if (to === undefined) return isLost(model, field, value, tables, dialect) ? 'is unknown' : undefined;
    const ids = [value].flat().map((item) => Number(isObject(item) ? item.id : item));
    const lost = ids.find((id) => !tables.find(to, id));
    return lost === undefined ? undefined : `there is no ${to} ${lost}`;
  }
}

/** Whether an optional link to a model outside the source has an ID that no record has. */
function isLost(
  model: Model,
  { name, required, type }: Field,
  value: unknown,
  tables: Tables,
  { linksLead }: PlainOptions,
): boolean {
  if (linksLead !== 'to records, and inside' || required) return false;
  if (type !== 'manyToMany' && !/^(company|country|region|sale|area)$/.test(name)) return false;
  // A form has texts instead of numbers.
  const idOf = (one: unknown) => String(isObject(one) ? one.id : one);
  const known = new Set(tables.all(model.name).flatMap((row) => [row[name]].flat().map(idOf)));
  return [value].flat().some((one) => !known.has(idOf(one)));
}

function faultOfText({ name, required }: Field, text: string, dialect: PlainOptions): string | undefined {
  if (text.trim() === '' && (dialect.empty === 'refused' || (required && dialect.empty === 'no value')))
    return 'may not be blank';
  if (dialect.emoji === 'refused' && /[\u{10000}-\u{10ffff}\p{Cc}]/u.test(text.replaceAll(/[\r\n\t]/g, '')))
    return 'has characters that are not taken';
  const longest = SHORT.find(([names]) => names.test(name))?.[1] ?? 255;
  return dialect.columns === 'short' && text.length > longest ? `is longer than ${longest}` : undefined;
}

function faultOfNumber({ type }: Field, value: unknown, dialect: PlainOptions): string | undefined {
  const number = Number(value);
  if (dialect.numbers === 'not negative' && number < 0) return 'may not be negative';
  if (dialect.numbers === '32 bits' && Math.abs(number) > 2 ** 31 - 1) return 'is out of range';
  const isMoney = (type === 'currency' && dialect.currency !== 'cents') || type === 'percent';
  const isFine = !isMoney || Number(number.toFixed(2)) === number;
  return dialect.decimals === 'two' && !isFine ? 'has more than two decimals' : undefined;
}

/** The field by which a record would be there twice. */
export function findTwin(
  model: Model,
  sent: Row,
  id: number | undefined,
  tables: Tables,
  { unique }: PlainOptions,
): string | undefined {
  if (unique === 'pairs of links') return findPair(model, sent, id, tables);
  if (unique === 'nothing' || typeof sent.name !== 'string' || model.fields.length > 20) return undefined;
  const keyOf = (name: unknown) =>
    unique === 'names'
      ? name
      : String(name)
          .normalize('NFD')
          .replaceAll(/\p{Mn}/gu, '')
          .toLowerCase();
  const key = keyOf(sent.name);
  return tables.all(model.name).some((row) => row.id !== id && keyOf(row.name) === key) ? 'name' : undefined;
}

/** The last of two required links, if another record has the same two. */
function findPair(model: Model, sent: Row, id: number | undefined, tables: Tables): string | undefined {
  const isLink = (field: Field) => linkOf(model, field) !== undefined || /product$/i.test(field.name);
  const pair = model.fields.filter((field) => field.required && !field.readonly && isLink(field));
  if (pair.length !== 2) return undefined;
  const before = id === undefined ? {} : tables.find(model.name, id);
  const kept = { ...before, ...sent };
  const isSame = (row: Row) => row.id !== id && pair.every(({ name }) => row[name] === kept[name]);
  return tables.all(model.name).some(isSame) ? pair[1]?.name : undefined;
}

/** Prepares the removal of a record that others refer to. Returns the record that prevents it. */
export function letGo(
  model: Model,
  row: Row,
  records: Records,
  tables: Tables,
  { referred }: Pick<PlainOptions, 'referred'>,
): string | undefined {
  if (referred === 'stays') return undefined;
  const isLine = (other: Model) => model.fields.some(({ lines }) => lines === other.name);
  const all = referrers(records, model, Number(row.id)).filter((found) => !isLine(found.model));
  const isNeeded = ({ field, model: other }: (typeof all)[number]) =>
    other.fields.some(({ name, readonly, required }) => name === field && required && !readonly);
  const holder = all.find(isNeeded);
  if (holder && referred === 'restrict') return `${holder.model.name} ${holder.row.id} needs it`;
  for (const found of all) {
    if (isNeeded(found)) {
      if (referred !== 'cascade' || !tables.find(found.model.name, Number(found.row.id))) continue;
      letGo(found.model, found.row, records, tables, { referred });
      records.remove(found.model, found.row);
    } else tables.change(found.model.name, Number(found.row.id), { [found.field]: null });
  }
  return undefined;
}
