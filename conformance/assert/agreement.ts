import { isDeepStrictEqual } from 'node:util';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { onceFor } from '../../spec/once-for.ts';
import { isText, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isObject } from '../api/places.ts';

const copiesIn = onceFor((catalogue: Catalogue) => {
  const models = [...catalogue.models.values()];
  return new Set(models.flatMap((model) => model.fields.filter((field) => mayCopy(field, model, catalogue))));
});

/** Addresses, and types that may be texts, since the source does not show their form (2.12): no value is empty. */
const NEVER_EMPTY: ReadonlySet<string> = new Set([
  'email',
  'url',
  'image',
  'duration',
  'select',
  'fkModel',
  'currency',
  'percent',
]);

/** Whether what is shown of a field is no value: nothing, or the empty text that many frameworks keep in a column. */
export function isUnset({ required, type }: Field, wire: unknown): boolean {
  return wire === undefined || wire === null || (wire === '' && !required && NEVER_EMPTY.has(type));
}

/** Stands for a value that is set, in a form that is not known. */
export const UNREAD: Value = Object.freeze({ form: 'unknown' });

/** Whether a value that was found means what was sent, as far as it can be read. Lines have no order. */
export function agrees(field: Field, sent: Value, found: Value | undefined): boolean {
  if (found === undefined) return sent === null;
  if (field.type === 'duration' && typeof sent === 'string' && typeof found === 'string')
    return WIRE_TYPES.duration.compare?.(sent, found) === 0;
  if (field.lines === undefined || !Array.isArray(sent) || !Array.isArray(found)) return isSame(sent, found);
  return haveSameLines(sent, found);
}

/** Whether each line that was sent has its own match. A line can have fields that were not sent, such as its ID. */
function haveSameLines(sent: readonly Value[], found: readonly Value[]): boolean {
  const left = [...found];
  return (
    sent.length === found.length &&
    sent.every((line) => {
      const index = left.findIndex((candidate) => isLine(line, candidate));
      return index >= 0 && left.splice(index, 1).length === 1;
    })
  );
}

/** Whether what is found is surely the value: of a form that is not known nothing is sure. */
export function surelyShows(field: Field, value: Value, found: Value | undefined): boolean {
  return found !== UNREAD && value !== UNREAD && agrees(field, value, found);
}

function isLine(sent: Value, found: Value): boolean {
  if (sent === null || typeof sent !== 'object') return isSame(sent, found);
  return Object.entries(sent).every(([name, value]) => {
    const shown = (found as RecordValues | null)?.[name] ?? null;
    // Lines can have lines in turn.
    return areLines(value) && Array.isArray(shown) ? haveSameLines(value, shown) : isSame(value, shown);
  });
}

/** Whether a value is a list of records, and not of IDs or numbers. */
function areLines(value: Value): value is Value[] {
  return Array.isArray(value) && value.some((one) => one !== null && typeof one === 'object');
}

function isSame(sent: Value, found: Value): boolean {
  return Object.is(sent, found) || found === UNREAD || sent === UNREAD || isDeepStrictEqual(sent, found);
}

/** Whether two times are the same but for a fraction of a second. */
export function isRounder(one: Value | undefined, other: Value | undefined): boolean {
  return Math.abs(momentOf(one) - momentOf(other)) < 1000;
}

/** Whether they are where one of them shows no fraction, or but for what databases round a millisecond to. */
export function isStored(one: Value | undefined, other: Value | undefined): boolean {
  const isWhole = [one, other].some((time) => momentOf(time) % 1000 === 0);
  return Math.abs(momentOf(one) - momentOf(other)) < (isWhole ? 1000 : COARSEST_TICK);
}

/** Whether they surely are not: both are times, and not stored as one. */
export function isApart(one: Value | undefined, other: Value | undefined): boolean {
  return [one, other].every((time) => !Number.isNaN(momentOf(time))) && !isStored(one, other);
}

/** Whether a value is shown to the minute, and was sent with seconds. */
export function isToTheMinute({ type }: Pick<Field, 'type'>, sent: Value, shown: Value | undefined): boolean {
  if (type !== 'time' && type !== 'datetime') return false;
  const [from, to] = [sent, shown].map((value) => momentOf(type === 'time' ? `1970-01-01T${value}Z` : value));
  return (
    from !== undefined && to !== undefined && from !== to && to % 60_000 === 0 && Math.abs(from - to) < 60_000
  );
}

/** Milliseconds; a `datetime` of SQL Server has three of them in a hundredth of a second. */
const COARSEST_TICK = 4;

function momentOf(value: Value | undefined): number {
  return Date.parse(String(value));
}

/** Whether a writable field may copy a value of another record, or hold a total: the service may update it. */
export function isCopy(field: Field, catalogue: Catalogue): boolean {
  return copiesIn(catalogue).has(field);
}

function mayCopy(field: Field, model: Model, { models }: Catalogue): boolean {
  const { name, readonly, type } = field;
  if (readonly || field.lines !== undefined) return false;
  if (['float', 'currency'].includes(type)) return /total|balance|pending|taxAmount/i.test(name);
  if (!isText(field)) return false;
  const [, thing = ''] = /^(.+)Name$/.exec(name) ?? [];
  return models.has(name) || models.has(thing) || model.fields.some((other) => other.name === thing);
}

/** The values without the copies in their lines. */
export function withoutCopiesInLines(model: Model, values: RecordValues, catalogue: Catalogue): RecordValues {
  const lines = model.fields.filter(
    (field) => field.lines !== undefined && Object.hasOwn(values, field.name),
  );
  const stripped = lines.map(({ lines: name = '', name: field }) => {
    const line = catalogue.models.get(name);
    const value = values[field];
    if (!line || !Array.isArray(value)) return [field, value] as const;
    return [
      field,
      value.map((item) => (isObject(item) ? withoutCopies(line, item, catalogue) : item)),
    ] as const;
  });
  return { ...values, ...Object.fromEntries(stripped) } as RecordValues;
}

/** The values without copies, those of lines included. */
export function withoutCopies(model: Model, values: RecordValues, catalogue: Catalogue): RecordValues {
  const copies = new Set(model.fields.filter((field) => isCopy(field, catalogue)).map(({ name }) => name));
  const kept = Object.entries(values).filter(([name]) => !copies.has(name));
  return withoutCopiesInLines(model, Object.fromEntries(kept), catalogue);
}
