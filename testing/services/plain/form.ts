import { isCounted, isObject } from '../records/forms.ts';
import type { Row } from '../records/tables.ts';
import { type Field, MODELS, type Model } from '../source/source.ts';
import type { PlainOptions } from './options.ts';

/** Returns the values of a form, in which each value is text. Readonly fields stay as they were sent. */
export function readForm(model: Model, form: Row, dialect: PlainOptions): Row {
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => {
      const field = model.fields.find((one) => one.name === name);
      return [name, field && !field.readonly ? readValue(field, value, dialect) : value];
    }),
  );
}

function readValue(field: Field, value: unknown, dialect: PlainOptions): unknown {
  const lines = MODELS.get(field.lines ?? '');
  if (value === '') return null;
  if (Array.isArray(value))
    return value
      .filter((one) => one !== '')
      .map((one) =>
        lines && isObject(one) ? readForm(lines, one as Row, dialect) : readScalar(field, one, dialect),
      );
  if (isObject(value)) return { ...value, ...('id' in value ? { id: toNumber(value.id) } : {}) };
  return readScalar(field, value, dialect);
}

function readScalar({ type }: Field, value: unknown, dialect: PlainOptions): unknown {
  if (isObject(value)) return { ...value, id: toNumber(value.id) };
  if (type === 'bool')
    return dialect.bool === 'int' ? toNumber(value) : ({ true: true, false: false }[String(value)] ?? value);
  const isText =
    ['string', 'text', 'markdown', 'email', 'url', 'image', 'date', 'time', 'fkModel'].includes(type) ||
    (type === 'datetime' && !isCounted(dialect)) ||
    (type === 'select' && dialect.select === 'string') ||
    (type === 'currency' && dialect.currency === 'string') ||
    (type === 'percent' && dialect.percent === 'string');
  return isText ? value : toNumber(value);
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(value) ? Number(value) : value;
}
