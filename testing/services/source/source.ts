import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A field as the source gives it. */
export type Field = {
  readonly name: string;
  /** int, string, currency, …; `lines` for `StockInvoiceLine[]`. */
  readonly type: string;
  readonly required: boolean;
  readonly readonly: boolean;
  /** The values the source lists, in its order. */
  readonly values?: readonly (number | string)[];
  /** The model of the lines. */
  readonly lines?: string;
};

export type Model = {
  readonly name: string;
  /** All of them, the common ones first. */
  readonly fields: readonly Field[];
  /** It has only the two Retrieve operations (section 4, rule 3). */
  readonly readOnly: boolean;
  /** It has no other fields (2.0, 2.3). */
  readonly closed: boolean;
};

/** Section 2.0. */
const COMMON = 'id int ro; created datetime ro; createUser int ro; updated datetime ro; updateUser int ro';
const DELETED = '; deleted bool ro';
const READ_ONLY = 'subscriptionTask';

const values = readValues();
/** All models by their names, in the order of the source. */
export const MODELS: ReadonlyMap<string, Model> = new Map(
  readLines('models.txt').map((line) => readModel(line)),
);

export function modelNamed(name: string): Model {
  const model = MODELS.get(name);
  if (!model) throw new Error(`the source has no model ${name}`);
  return model;
}

/** The fields a client may send. */
export function writable({ fields }: Model): readonly Field[] {
  return fields.filter(({ readonly }) => !readonly);
}

function readModel(line: string): [string, Model] {
  const [, name = '', said = ''] = /^`(\w+)`[^:]*: (.*)$/.exec(line) ?? [];
  const own = said.startsWith('common fields') ? '' : (said.split('. ')[0] ?? '').replace(/\.$/, '');
  const readOnly = name === READ_ONLY;
  const all = `${COMMON}${readOnly ? '' : DELETED}${own && `; ${own}`}`;
  const fields = all.split('; ').map((text) => readField(name, text));
  return [name, { name, fields, readOnly, closed: readOnly || own === '' }];
}

function readField(model: string, text: string): Field {
  const [name = '', type = '', ...flags] = text
    .replace(/\(.*\)/, '')
    .trim()
    .split(/\s+/);
  const list = values.get(`${model}.${name}`);
  const line = /^(\w+)\[\]$/.exec(type)?.[1];
  return {
    name,
    type: line ? 'lines' : type,
    required: flags.includes('req'),
    readonly: flags.includes('ro'),
    ...(list ? { values: list } : {}),
    ...(line ? { lines: line.charAt(0).toLowerCase() + line.slice(1) } : {}),
  };
}

function readValues(): Map<string, (number | string)[]> {
  const lists = new Map<string, (number | string)[]>();
  for (const line of readLines('values.txt')) {
    const [field = '', value = ''] = line.split(' | ');
    lists.set(field, [...(lists.get(field) ?? []), /^\d+$/.test(value) ? Number(value) : value]);
  }
  return lists;
}

function readLines(file: string): string[] {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}
