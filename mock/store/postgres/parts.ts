import type { Ask, RecordRow, Statement } from './records.ts';
import { longStatement, SCHEMA } from './schema.ts';

/** Arbitrary advisory-lock keys begin here, one for each space. */
const FIRST_LOCK = 7_265_638_000_000;

/** Waits until no other transaction writes to the space $1, and lets none do so until the end of this one. */
export const LOCK_SPACE = `select pg_advisory_xact_lock(${FIRST_LOCK} + $1::bigint)`;

/** Selects the parts that the space $1 owns. */
export const OWNED = `select model, part, base, last from ${SCHEMA}.part where space = $1 and owned`;

/** The part of a model that a space owns. */
export type Part = {
  readonly part: string;
  base: string | null;
  /** The last ID that was used. */
  last: number;
  /** The last ID in the database. */
  storedLast: number;
};

export function toPart({ base, last, part }: Readonly<Record<string, unknown>>): Part {
  return {
    part: String(part),
    base: base === null ? null : String(base),
    last: Number(last),
    storedLast: Number(last),
  };
}

const FIND_PART = `select part, base, exists (
    select from ${SCHEMA}.part o where o.part = p.part and o.space <> p.space or o.base = p.part
  ) as shared
  from ${SCHEMA}.part p where p.space = $1 and p.model = $2`;

/** Takes the part, makes a missing one, or makes one with the shared part as its base. */
const OWN = `insert into ${SCHEMA}.part as p (space, model, part, owned)
  values ($1, $2, nextval('${SCHEMA}.part_ids'), true)
  on conflict (space, model) do update set owned = true,
    part = case when $3 then excluded.part else p.part end,
    base = case when $3 then coalesce(p.base, p.part) else p.base end
  returning part, base, last`;

const COPY = `insert into ${SCHEMA}.record (part, id, deleted, owner, data, keys)
  select $1::bigint, id, deleted, owner, data, keys from ${SCHEMA}.record where part = $2`;

/** In a transaction that writes to the space: returns the part to write the records of a model to. */
export async function ownPart(ask: Ask, space: string, model: string): Promise<Part> {
  const [known] = (await ask({ name: 'find-part', text: FIND_PART, values: [space, model] })).rows;
  const isShared = known?.shared === true;
  const { rows } = await ask({ name: 'own-part', text: OWN, values: [space, model, isShared] });
  const own = toPart(rows[0] ?? {});
  // A part that has a base is copied, because bases have none. It has few records.
  if (isShared && known.base !== null)
    await ask({ name: 'copy-part', ...longStatement(COPY, [own.part, known.part]) });
  return own;
}

/** Selects 0 for no record, 1 for one, and 2 for one that is marked as deleted. */
const stateOf = (row: string) => `case when ${row}.data is null then 0 when ${row}.deleted then 2 else 1 end`;
const stateIn = (part: string) =>
  `(select ${stateOf('r')} from ${SCHEMA}.record r where r.part = ${part} and r.id = given.id)`;
const change = (state: number) =>
  `count(*) filter (where now = ${state}) - count(*) filter (where was = ${state})`;

const PARTS = `own as materialized (
    select * from unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) as own (model, part, base, last)
  )`;
const GIVEN = `json_to_recordset($6)
    as given (model text, id bigint, deleted boolean, owner bigint, data text, keys jsonb) join own using (model)`;

/** Stores and removes records, and their numbers. */
const STORE = `with ${PARTS}, given as materialized (
    select own.part, own.base, given.*, ${stateIn('own.part')} as own_was, ${stateIn('own.base')} as base_was,
      ${stateOf('given')} as now
    from ${GIVEN}
  ), removed as (
    delete from ${SCHEMA}.record r using given
    where r.part = given.part and r.id = given.id and given.data is null and given.base is null
  ), stored as (
    insert into ${SCHEMA}.record (part, id, deleted, owner, data, keys)
    select part, id, deleted, owner, data, keys from given where data is not null or base is not null
    on conflict (part, id) do update set deleted = excluded.deleted, owner = excluded.owner, data = excluded.data,
      keys = excluded.keys
  ), counted as (
    select model, ${change(1)} as live, ${change(2)} as deleted
    from (select *, coalesce(own_was, base_was, 0) as was from given) given group by model
  )
  update ${SCHEMA}.part p set last = own.last, live = p.live + coalesce(counted.live, 0),
    deleted = p.deleted + coalesce(counted.deleted, 0)
  from own left join counted on counted.model = own.model where p.space = $1 and p.model = own.model`;

/** A record to store, or one without data to remove. */
export type StoredRow = RecordRow & { readonly model: string };

/** Returns the statement that stores records and the last IDs of models. The space must own the parts. */
export function storeStatement(
  space: string,
  parts: readonly (readonly [model: string, part: Part])[],
  rows: readonly StoredRow[],
): Statement {
  const own = parts.map(([, part]) => part);
  return {
    name: 'store',
    text: STORE,
    values: [
      space,
      parts.map(([model]) => model),
      own.map(({ part }) => part),
      own.map(({ base }) => base),
      own.map(({ last }) => last),
      JSON.stringify(rows),
    ],
  };
}

const CLEAR = `with cleared as (
    update ${SCHEMA}.part set base = null, last = 0, live = 0, deleted = 0
    where space = $1 and model = $2 and owned returning part
  )
  delete from ${SCHEMA}.record r using cleared where r.part = cleared.part`;

/** Returns the statement that removes all records of a model. The space must own the part. */
export function clearStatement(space: string, model: string): Statement {
  return { name: 'clear', ...longStatement(CLEAR, [space, model]) };
}
