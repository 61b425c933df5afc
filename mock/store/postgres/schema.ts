import type { ClientBase } from 'pg';
import { UsageError } from '../../../spec/files/usage-error.ts';
import { type Api, refuseOtherApi } from '../store.ts';

/** The mock uses one schema of the database, and never touches the others. */
export const SCHEMA = 'record_model_mock';

/** Increase it with each change of the tables, and of the sort keys. */
const VERSION = 7;

const TABLES = `
  create schema ${SCHEMA};
  create table ${SCHEMA}.version (version integer not null);
  insert into ${SCHEMA}.version values (${VERSION});
  create table ${SCHEMA}.api (title text not null, version text not null, hash text not null);
  create sequence ${SCHEMA}.part_ids;

  -- A session or a snapshot. The column extra has the data of a session other than its records.
  create table ${SCHEMA}.space (
    id bigint generated always as identity primary key,
    kind text not null check (kind in ('session', 'snapshot')),
    name text collate "C" not null,
    began text not null,
    extra text,
    used timestamptz not null default clock_timestamp(),
    unique (kind, name)
  );

  -- The records of a model in a space: where they are, their last ID, and their numbers. They change in the transaction
  -- of the write. A part that is not owned is shared, and does not change. A part with a base has only the records that
  -- differ from the base. So the first write after a snapshot copies nothing. A base has no base.
  create table ${SCHEMA}.part (
    space bigint not null references ${SCHEMA}.space (id) on delete cascade,
    model text collate "C" not null,
    part bigint not null,
    base bigint,
    owned boolean not null,
    last bigint not null default 0,
    live bigint not null default 0,
    deleted bigint not null default 0,
    primary key (space, model)
  ) with (fillfactor = 50);
  create index part_users on ${SCHEMA}.part (part);
  create index part_bases on ${SCHEMA}.part (base);

  -- A record as JSON, and the sort keys of its fields that are set. The JSON is text, because jsonb rejects some strings.
  -- A row without them hides a record of the base. The owner is the value of the field that the record is often found
  -- by: the link of a line to its parent.
  create table ${SCHEMA}.record (
    part bigint not null,
    id bigint not null,
    deleted boolean not null,
    owner bigint,
    data text,
    keys jsonb,
    primary key (part, id)
  ) with (fillfactor = 80);
  create index record_live on ${SCHEMA}.record (part, id) where not deleted;
  create index record_owner on ${SCHEMA}.record (part, owner, id) where owner is not null;

  -- This compression takes half of the time. A server can be built without it, or be older than version 14.
  do $$ begin
    alter table ${SCHEMA}.record alter column data set compression lz4, alter column keys set compression lz4;
  exception when others then null;
  end $$;

  -- The questions of replicas to each other. A crash of the server can lose them.
  create unlogged table ${SCHEMA}.question (
    id bigint generated always as identity primary key,
    asked timestamptz not null default clock_timestamp(),
    body text not null
  );`;

/** Arbitrary advisory-lock key. */
const LOCK = 7_265_636;

/** Milliseconds for a statement on all records of a model, and for a lock whose owner can be filling the database. */
export const LONG = 600_000;

export type OpenOptions = {
  /** The API of the records; absent if records of any API are accepted. */
  readonly api?: Api | undefined;
  readonly mustExist?: boolean | undefined;
};

export function longStatement(text: string, values: unknown[] = []) {
  return { text, values, query_timeout: LONG };
}

/** Returns a statement that takes a lock until the end of the transaction. */
export function lock(number: number) {
  return longStatement(`select pg_advisory_xact_lock(${number})`);
}

/** Creates the tables, unless they must exist. Throws UsageError for tables of others. */
export async function openSchema(
  client: ClientBase,
  shown: string,
  { api, mustExist = false }: OpenOptions,
): Promise<void> {
  await client.query(lock(LOCK));
  const { rows } = await client.query(
    `select to_regnamespace('${SCHEMA}') is not null as known, to_regclass('${SCHEMA}.version') is not null as ours,
       current_setting('server_encoding') as encoding`,
  );
  const [{ encoding, known, ours }] = rows;
  if (encoding !== 'UTF8')
    throw new UsageError(
      `${shown} has the encoding ${encoding}, which does not have all characters. Create a database with: createdb --encoding UTF8 --template template0 NAME`,
    );
  if (known && !ours)
    throw new UsageError(
      `The schema ${SCHEMA} in ${shown} belongs to another application. Rename it, or use another database.`,
    );
  if (!known && mustExist)
    throw new UsageError(
      `${shown} contains no data of the mock: it has no schema ${SCHEMA}. Create it with: record-model mock --data ADDRESS`,
    );
  if (!known) await client.query(TABLES);
  const [found] = (await client.query(`select version from ${SCHEMA}.version`)).rows;
  if (found?.version !== VERSION)
    throw new UsageError(
      `The schema ${SCHEMA} in ${shown} has version ${found?.version}, but this release supports only ${VERSION}. Dump it with the release that wrote it (record-model dump), and load the dump into another database (record-model load), or run DROP SCHEMA ${SCHEMA} CASCADE.`,
    );
  if (api) await takeApi(client, api, shown);
}

/** Notes whose records the database has, or throws UsageError if they are of another API. */
async function takeApi(client: ClientBase, api: Api, shown: string): Promise<void> {
  const stored = await client.query(
    `select title, version, hash from ${SCHEMA}.api where exists (select from ${SCHEMA}.space)`,
  );
  if (stored.rows.length > 0) return refuseOtherApi(api, stored.rows[0], shown);
  await client.query(`delete from ${SCHEMA}.api`);
  await client.query(`insert into ${SCHEMA}.api values ($1, $2, $3)`, [api.title, api.version, api.hash]);
}
