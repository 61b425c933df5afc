import type { FieldFacts, ModelFacts } from '../../../../spec/meta/meta.ts';
import type { InputProps } from '../../../ui/input.tsx';
import { countOf, readJson } from '../../../ui/text.ts';

/** A record in the form of fixtures. */
export type Shown = Readonly<Record<string, unknown>> & { readonly id: number };

/** The kind of input for a field. */
export type InputKind =
  | 'number'
  | 'text'
  | 'area'
  | 'choice'
  | 'date'
  | 'time'
  | 'duration'
  | 'ids'
  | 'days'
  | 'json';

/** The kinds of types. Others are text, such as a value list of which the source shows no values. */
const KINDS: Readonly<Partial<Record<FieldFacts['type'], InputKind>>> = {
  int: 'number',
  float: 'number',
  currency: 'number',
  percent: 'number',
  text: 'area',
  markdown: 'area',
  bool: 'choice',
  date: 'date',
  time: 'time',
  duration: 'duration',
  manyToMany: 'ids',
  daysOfWeek: 'days',
  lines: 'json',
};

export function kindOf({ type, values }: FieldFacts): InputKind {
  return values ? 'choice' : (KINDS[type] ?? 'text');
}

/** The values of a choice with their titles. */
export function choicesOf({ type, values = [] }: FieldFacts): NonNullable<InputProps['options']> {
  if (type === 'bool') return Object.entries({ true: 'yes', false: 'no' });
  return values.map(({ label, value }) => [String(value), `${value} – ${label}`]);
}

/** Returns the text of a value for its input; empty if it is unset. */
export function textOf(field: FieldFacts, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (kindOf(field) === 'ids' && Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

/** Returns lines without the readonly fields, which a write must not have. Lines of a new record have no IDs either. */
export function writableLines(value: unknown, model: ModelFacts | undefined, isNew: boolean): unknown {
  if (!Array.isArray(value) || !model) return value;
  const readonly = new Set(model.fields.filter((field) => field.readonly).map(({ name }) => name));
  if (!isNew) readonly.delete('id');
  return value.map((line: unknown) =>
    typeof line === 'object' && line !== null
      ? Object.fromEntries(Object.entries(line).filter(([name]) => !readonly.has(name)))
      : line,
  );
}

/** Returns the value of the text of an input; null if the text is empty. Text that can't be read stays text, which the mock refuses. */
export function readText(field: FieldFacts, text: string): unknown {
  if (text === '') return null;
  switch (kindOf(field)) {
    case 'number':
      return numberOf(text);
    case 'choice':
      return field.type === 'bool'
        ? text === 'true'
        : (field.values?.find(({ value }) => String(value) === text)?.value ?? text);
    case 'ids':
      return text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean)
        .map(numberOf);
    case 'json':
    case 'days':
      return readJson(text);
    case 'time':
      // A browser leaves out seconds that are 0.
      return text.length === 5 ? `${text}:00` : text;
    default:
      return field.type === 'select' && /^\d+$/.test(text) ? Number(text) : text;
  }
}

/** Returns the text if it is no number. JSON has no infinite numbers, such as that of `1e999`. */
export function numberOf(text: string): number | string {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Returns the text of a value for people: a value list shows the label. */
export function labelOf(field: FieldFacts, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (field.type === 'bool') return value === true ? 'yes' : 'no';
  const member = field.values?.find((one) => one.value === value);
  if (member) return `${member.label} (${member.value})`;
  if (field.type === 'datetime')
    return String(value)
      .replace('T', ' ')
      .replace(/(:\d\d)(\.\d+)?Z$/, '$1');
  if (field.type === 'lines' && Array.isArray(value)) return countOf(value.length, 'line');
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns the name of a record for people: its name, title, or number. */
export function titleOf(record: Shown | undefined): string {
  if (!record) return '';
  const { description, firstName, lastName, name, number, title } = record as Readonly<
    Record<string, unknown>
  >;
  const person = [firstName, lastName].filter(Boolean).join(' ');
  return String(name ?? title ?? (person || (number ?? description ?? ''))).slice(0, 60);
}
