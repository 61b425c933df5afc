import type { Place } from '../files/place.ts';
import { unexpected } from '../files/usage-error.ts';

/** The types of section 2; `lines` are the array types, such as `StockInvoiceLine[]`. */
export const TYPE_NAMES = [
  'int',
  'string',
  'text',
  'float',
  'bool',
  'date',
  'time',
  'datetime',
  'currency',
  'percent',
  'email',
  'url',
  'image',
  'markdown',
  'duration',
  'daysOfWeek',
  'select',
  'manyToMany',
  'fkModel',
  'lines',
] as const;
export type TypeName = (typeof TYPE_NAMES)[number];

/** The nouns for one record of a model, with the article, and for several: `a brand`, `brands`. */
export type Noun = { readonly one: string; readonly many: string };

/** A member of a value list: its value, its name in the source, and an English name for code. */
export type Choice = { readonly value: string | number; readonly name: string; readonly english?: string };

export type Field = {
  readonly name: string;
  /** `model.field`, as files and reports name it. */
  readonly key: string;
  readonly type: TypeName;
  /** `req` in section 2. */
  readonly required: boolean;
  /** `ro` in section 2. */
  readonly readonly: boolean;
  /** One of the common fields of section 2.0. */
  readonly common: boolean;
  /** The role of a common field; absent for `id`, and if the catalogue names no role. */
  readonly role?: Role;
  /** The note in parentheses that the source has for the field. */
  readonly about?: string;
  /** The value list of a select; absent where the source shows none. */
  readonly choices?: readonly Choice[];
  /** The section of the value list, if it is not the section of the area. */
  readonly choicesSection?: string;
  /** The model of the records in an array type. */
  readonly lines?: string;
};

/** The roles of common fields: time and user of the creation and of the last change, and the mark of a deleted record. */
export type Role = 'created' | 'createdBy' | 'updated' | 'updatedBy' | 'deleted';

const FLAGS = ['req', 'ro'];

/**
 * Reads the source's notation for a field: a type, flags, and a remark in parentheses,
 * such as `string req (the subfamily id)` or `StockInvoiceLine[] req`.
 */
export function parseField(at: Place): Pick<Field, 'type' | 'required' | 'readonly' | 'about' | 'lines'> {
  const [, notation = '', about] =
    /^([^()]*?)\s*(?:\(([^()]+)\))?$/.exec(at.text()) ??
    at.fail(`Expected a type and flags, such as "string req", but found ${JSON.stringify(at.value)}.`);
  const [word = '', ...flags] = notation.split(/\s+/);
  for (const [index, flag] of flags.entries()) {
    if (!FLAGS.includes(flag)) at.fail(unexpected('flag', flag, FLAGS));
    if (flags.indexOf(flag) !== index) at.fail(`The flag "${flag}" is given twice. Remove one of them.`);
  }
  return {
    ...parseType(word, at),
    required: flags.includes('req'),
    readonly: flags.includes('ro'),
    ...(about === undefined ? {} : { about }),
  };
}

function parseType(word: string, at: Place): { type: TypeName; lines?: string } {
  const lineModel = /^([A-Z][A-Za-z0-9]*)\[\]$/.exec(word)?.[1];
  if (lineModel !== undefined)
    return { type: 'lines', lines: lineModel.charAt(0).toLowerCase() + lineModel.slice(1) };
  const scalars = TYPE_NAMES.filter((name) => name !== 'lines');
  const type = scalars.find((name) => name === word);
  return { type: type ?? at.fail(unexpected('type', word, [...scalars, 'Model[]'])) };
}
