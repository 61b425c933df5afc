import { inOrder, linkOf } from '../source/links.ts';
import { type Field, MODELS, type Model, writable } from '../source/source.ts';
import { type Forms, sampleValue } from './forms.ts';
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
    const line = MODELS.get(field.lines ?? '');
    if (line && forms.lines === 'objects')
      row[field.name] = [values(line, number, forms, tables, model.name)];
    else if (line) row[field.name] = tables.all(line.name).map(({ id }) => id);
    else
      row[field.name] =
        linked === undefined ? sampleValue(field, number, forms) : linkTo(field, linked, forms);
  }
  return row;
}

function linkTo({ type }: Field, id: unknown, { links }: Forms): unknown {
  if (type !== 'manyToMany') return id;
  return links === 'objects' ? [{ id }] : [id];
}
