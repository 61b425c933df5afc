import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Layout } from '../store.ts';
import type { Changes } from './changes.ts';
import { PART, type Statement } from './rows.ts';
import { fieldsOf, hasFields, longStatement, SCHEMA } from './schema.ts';
import type { Reading } from './search/find.ts';

/** Maximum number of records in one statement. */
const AT_ONCE = 1000;

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
    plain: hasFields(data),
  };
}

const PUT = `
  with own as (select model, part from ${SCHEMA}.part where space = $1 and model = any ($2) and owned)
  insert into ${SCHEMA}.record (part, id, deleted, owner, data, plain, fields)
  select own.part, given.id, given.deleted, given.owner, given.data, given.plain, ${fieldsOf('given.data')}
  from unnest($2::text[], $3::bigint[], $4::boolean[], $5::bigint[], $6::text[], $7::boolean[])
    as given (model, id, deleted, owner, data, plain) left join own on own.model = given.model
  on conflict (part, id) do update
  set deleted = excluded.deleted, owner = excluded.owner, data = excluded.data, plain = excluded.plain,
    fields = excluded.fields`;

/** Selects the part of a model, and its base. */
const OWN = `with own as (select part, base from ${SCHEMA}.part where space = $1 and model = $2 and owned)`;

const REMOVE = `${OWN},
  hidden as (
    insert into ${SCHEMA}.record (part, id, deleted, plain)
    select own.part, r.id, true, true from ${SCHEMA}.record r, own where r.part = own.base and r.id = any ($3::bigint[])
    on conflict (part, id) do update set deleted = true, owner = null, data = null, plain = true, fields = null
  )
  delete from ${SCHEMA}.record r using own
  where r.part = own.part and r.id = any ($3::bigint[])
    and not exists (select from ${SCHEMA}.record b where b.part = own.base and b.id = r.id)`;

const CLEAR = `${OWN}, cleared as (
    update ${SCHEMA}.part p set base = null from own where p.space = $1 and p.model = $2
  )
  delete from ${SCHEMA}.record r using own where r.part = own.part`;

const FORGET_TALLY = `delete from ${SCHEMA}.tally where part = ${PART}`;

/** Returns statements that store changes. The space must own the parts of the models. */
export function* statementsOf(
  changes: Changes,
  { layout, space }: Pick<Reading, 'layout' | 'space'>,
): Generator<Statement> {
  const written: { readonly model: string; readonly record: RecordValues }[] = [];
  for (const [model, { last, records }] of changes) {
    if (last !== undefined) {
      yield { name: 'clear', ...longStatement(CLEAR, [space, model]) };
      yield { name: 'forget-tally', text: FORGET_TALLY, values: [space, model] };
    }
    // A row without data hides a record of the base.
    const removed = [...records].flatMap(([id, record]) => (record ? [] : id));
    if (removed.length > 0) yield { name: 'remove', text: REMOVE, values: [space, model, removed] };
    for (const record of records.values()) if (record) written.push({ model, record });
  }
  for (let from = 0; from < written.length; from += AT_ONCE) {
    const some = written.slice(from, from + AT_ONCE);
    const rows = some.map(({ model, record }) => toRow(model, record, layout));
    yield { name: 'put', text: PUT, values: [space, ...columnsOf(rows)] };
  }
}

function columnsOf(rows: readonly RecordRow[]): unknown[][] {
  return (['model', 'id', 'deleted', 'owner', 'data', 'plain'] as const).map((column) =>
    rows.map((row) => row[column]),
  );
}
