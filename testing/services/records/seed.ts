import { inOrder, linkOf } from '../source/links.ts';
import { type Field, MODELS, type Model, writable } from '../source/source.ts';
import { type Forms, writeMember, writeMoment } from './forms.ts';
import type { Records } from './records.ts';
import type { Row, Tables } from './tables.ts';

const EACH = 3;

/** Creates the records that exist before a test; none for a model that is left out. */
export function seed(records: Records, tables: Tables, forms: Forms, without?: string): void {
  for (const model of inOrder()) {
    if (model.name === without) continue;
    const isLine = [...MODELS.values()].some(({ fields }) =>
      fields.some(({ lines }) => lines === model.name),
    );
    if (isLine) continue;
    for (let number = 1; number <= EACH; number++) {
      const id = records.create(model, values(model, number, forms, tables));
      if (model.readOnly) tables.change(model.name, id, { type: number });
    }
  }
}

function values(model: Model, number: number, forms: Forms, tables: Tables, parent?: string): Row {
  const row: Row = {};
  for (const field of writable(model)) {
    if (field.name === parent) continue;
    const link = linkOf(model, field);
    const linked = link === undefined ? undefined : tables.all(link)[number - 1]?.id;
    if (link !== undefined && linked === undefined) continue;
    row[field.name] =
      linked === undefined ? plain(field, number, forms, tables) : linkTo(field, linked, forms);
    if (field.lines && forms.lines === 'objects')
      row[field.name] = [line(field, model, number, forms, tables)];
  }
  return row;
}

function line(field: Field, model: Model, number: number, forms: Forms, tables: Tables): Row {
  const of = MODELS.get(field.lines ?? '');
  return of ? values(of, number, forms, tables, model.name) : {};
}

function linkTo({ type }: Field, id: unknown, { links }: Forms): unknown {
  if (type !== 'manyToMany') return id;
  return links === 'objects' ? [{ id }] : [id];
}

function plain(field: Field, number: number, forms: Forms, tables: Tables): unknown {
  switch (field.type) {
    case 'int':
      return number;
    case 'float':
      return number + 0.5;
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
      return writeMoment(new Date(`2024-03-0${number}T10:00:00Z`), forms);
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
    case 'lines':
      return tables.all(field.lines ?? '').map(({ id }) => id);
    case 'select':
      return writeMember(field.values ? field.values[number % field.values.length] : 'es', forms);
    case 'email':
      return `old${number}@example.com`;
    case 'url':
    case 'image':
      return `https://example.test/${number}.png`;
    default:
      return `Old ${field.name} ${number}`;
  }
}
