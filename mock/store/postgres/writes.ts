import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Layout } from '../store.ts';
import { isPlain } from './repertoire.ts';
import { PART, type Statement } from './rows.ts';
import { fieldsOf, longStatement, SCHEMA } from './schema.ts';

/** The columns of a record, and the whole record as JSON. */
export type RecordRow = {
  readonly model: string;
  readonly id: number;
  readonly deleted: boolean;
  readonly owner: unknown;
  readonly data: string;
  readonly plain: boolean;
};

export function toRow(model: string, record: RecordValues, layout: Layout): RecordRow {
  const [field] = layout.links.get(model) ?? [];
  const owner = field === undefined ? null : (record[field] ?? null);
  const data = JSON.stringify(record);
  return {
    model,
    id: Number(record.id),
    deleted: layout.mark !== undefined && record[layout.mark] === true,
    owner: Number.isSafeInteger(owner) ? owner : null,
    data,
    plain: isPlain(data),
  };
}

/** Selects the part of a model. No other transaction can share or replace it before this one ends. */
const OWN = `with own as (select part, base from ${SCHEMA}.part where space = $1 and model = $2 and owned for share)`;

const ADD = `
  with own as (
    select model, part from ${SCHEMA}.part where space = $1 and model = any ($2) and owned for share
  )
  insert into ${SCHEMA}.record (part, id, deleted, owner, data, plain, fields)
  select own.part, given.id, given.deleted, given.owner, given.data, given.plain, ${fieldsOf('given.data')}
  from unnest($2::text[], $3::bigint[], $4::boolean[], $5::bigint[], $6::text[], $7::boolean[])
    as given (model, id, deleted, owner, data, plain) left join own on own.model = given.model`;

const OR_REPLACE = `
  on conflict (part, id) do update
  set deleted = excluded.deleted, owner = excluded.owner, data = excluded.data, plain = excluded.plain,
    fields = excluded.fields`;

const CHANGE = `${OWN}
  update ${SCHEMA}.record r
  set deleted = given.deleted, owner = given.owner, data = given.data, plain = given.plain,
    fields = ${fieldsOf('given.data')}
  from unnest($3::bigint[], $4::boolean[], $5::bigint[], $6::text[], $7::boolean[], $8::text[])
    as given (id, deleted, owner, data, plain, was), own
  where r.part = own.part and r.id = given.id and r.data = given.was
  returning r.id`;

/** Adds records. `put` replaces existing ones. The statement fails with NO_PART if a part is shared or absent. */
export function addRecords(kind: 'add' | 'put', space: string, rows: readonly RecordRow[]): Statement {
  return {
    name: kind,
    text: kind === 'put' ? ADD + OR_REPLACE : ADD,
    values: [space, ...columnsOf(rows)],
  };
}

/** A new version of a record, and the text of the old one. */
export type RecordChange = { readonly row: RecordRow; readonly was: string };

/**
 * Changes the records of a model that still have their old text, and returns their IDs; none if the part is shared.
 * Changes them in the order of their IDs, so that replicas don't deadlock.
 */
export function changeRecords(space: string, model: string, changes: readonly RecordChange[]): Statement {
  const sorted = changes.toSorted((one, other) => one.row.id - other.row.id);
  const [, ...columns] = columnsOf(sorted.map(({ row }) => row));
  return { name: 'change', text: CHANGE, values: [space, model, ...columns, sorted.map(({ was }) => was)] };
}

const REMOVE = `${OWN},
  hidden as (
    insert into ${SCHEMA}.record (part, id, deleted, plain)
    select own.part, r.id, true, true from ${SCHEMA}.record r, own where r.part = own.base and r.id = any ($3::bigint[])
    on conflict (part, id) do update set deleted = true, owner = null, data = null, plain = true, fields = null
  )
  delete from ${SCHEMA}.record r using own
  where r.part = own.part and r.id = any ($3::bigint[])
    and not exists (select from ${SCHEMA}.record b where b.part = own.base and b.id = r.id)`;

/** Removes records. A row without data hides one of the base. */
export function removeRecords(space: string, model: string, ids: readonly number[]): Statement {
  return { name: 'remove', text: REMOVE, values: [space, model, ids] };
}

/** Removes all records of an owned part, and its base. */
export function clearModel(space: string, model: string): readonly Statement[] {
  const values = [space, model];
  const clear = `${OWN}, cleared as (
      update ${SCHEMA}.part p set base = null from own where p.space = $1 and p.model = $2
    )
    delete from ${SCHEMA}.record r using own where r.part = own.part`;
  const forget = `delete from ${SCHEMA}.tally where part = ${PART}`;
  return [
    { name: 'clear', ...longStatement(clear, values) },
    { name: 'forget-tally', text: forget, values },
  ];
}

function columnsOf(rows: readonly RecordRow[]): unknown[][] {
  return (['model', 'id', 'deleted', 'owner', 'data', 'plain'] as const).map((column) =>
    rows.map((row) => row[column]),
  );
}
