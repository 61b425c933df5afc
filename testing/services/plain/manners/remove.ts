import { type Records, referrers } from '../../records/records.ts';
import type { Row, Tables } from '../../records/tables.ts';
import type { Model } from '../../source/source.ts';
import type { PlainOptions } from '../options.ts';

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
