import type { DatabaseSync } from 'node:sqlite';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isMarked } from '../order.ts';
import type { Layout } from '../store.ts';

/** The numbers of records that a table shows, and the bytes of their JSON. */
export type Counts = { readonly live: number; readonly deleted: number; readonly bytes: number };

export const NO_COUNTS: Counts = { live: 0, deleted: 0, bytes: 0 };

/** Returns the counts with some records more, or less for a `sign` of -1. */
function added(one: Counts, other: Counts, sign: 1 | -1): Counts {
  return {
    live: one.live + sign * other.live,
    deleted: one.deleted + sign * other.deleted,
    bytes: one.bytes + sign * other.bytes,
  };
}

/** Returns the difference to the counts of a table if a record replaces another one. Either can be absent. */
export function difference(
  before: RecordValues | undefined,
  after: RecordValues | undefined,
  mark: string | undefined,
): Counts {
  return added(countsOf(after, mark), countsOf(before, mark), -1);
}

function countsOf(record: RecordValues | undefined, mark: string | undefined): Counts {
  if (!record) return NO_COUNTS;
  const isDeleted = isMarked(record, mark);
  const bytes = Buffer.byteLength(JSON.stringify(record));
  return { live: isDeleted ? 0 : 1, deleted: isDeleted ? 1 : 0, bytes };
}

export function sum(counts: Iterable<Counts>): Counts {
  let all = NO_COUNTS;
  for (const one of counts) all = added(all, one, 1);
  return all;
}

/** Returns the field of a model that the column `owner` has. */
export function ownerField({ links }: Layout, model: string): string | undefined {
  return links.get(model)?.[0];
}

/** Returns the place of a field in the JSON of a record, for SQLite. */
export function pathOf(field: string): string {
  return `$."${field}"`;
}

/**
 * Computes the columns that follow from the records and the layout, if the file does not have them for this layout. An
 * older release did not write them, and another profile can mark deleted records with another field.
 */
export function deriveColumns(database: DatabaseSync, layout: Layout): void {
  const links = [...layout.links].map(([model, [field]]) => [model, field] as const);
  const text = JSON.stringify({ mark: layout.mark, links: links.sort() });
  if (database.prepare('SELECT text FROM layout').get()?.text === text) return;
  database.exec('DELETE FROM layout');
  database.prepare('INSERT INTO layout VALUES (?)').run(text);
  markRecords(database, layout.mark);
  database.exec('UPDATE records SET owner = NULL WHERE owner IS NOT NULL');
  for (const [model, field] of links) if (field !== undefined) setOwners(database, model, field);
  countRecords(database, layout.mark);
}

function markRecords(database: DatabaseSync, mark: string | undefined): void {
  const isDeleted = mark === undefined ? '?1' : `coalesce(body -> ?1 = 'true', 0)`;
  const changed = `UPDATE records SET deleted = ${isDeleted} WHERE deleted <> ${isDeleted}`;
  database.prepare(changed).run(mark === undefined ? 0 : pathOf(mark));
}

function setOwners(database: DatabaseSync, model: string, field: string): void {
  database
    .prepare(
      `WITH RECURSIVE used (id) AS (
         SELECT held FROM state_tables WHERE model = ?1
         UNION SELECT base FROM tables JOIN used ON used.id = tables.id WHERE base IS NOT NULL
       )
       UPDATE records SET owner = body ->> ?2 WHERE held IN (SELECT id FROM used) AND json_type(body, ?2) = 'integer'`,
    )
    .run(model, pathOf(field));
}

function countRecords(database: DatabaseSync, mark: string | undefined): void {
  const whole = database.prepare(
    `SELECT count(*) FILTER (WHERE NOT deleted) AS live, count(*) FILTER (WHERE deleted) AS deleted,
       coalesce(sum(octet_length(body)), 0) AS bytes FROM records WHERE held = ? AND body IS NOT NULL`,
  );
  const records = database.prepare('SELECT id, body FROM records WHERE held = ?');
  const record = database.prepare('SELECT body FROM records WHERE held = ? AND id = ?');
  const last = database.prepare('SELECT max(id) AS id FROM records WHERE held = ?');
  const count = database.prepare(
    'UPDATE tables SET live = ?, deleted = ?, bytes = ?, last_id = ? WHERE id = ?',
  );
  /** By table, the tables that it shows, the topmost first, with its counts and last ID. */
  const known = new Map<number, { layers: number[]; counts: Counts; lastId: number }>();
  for (const row of database.prepare('SELECT id, base, last_id FROM tables ORDER BY depth').all()) {
    const [id, base] = [Number(row.id), known.get(Number(row.base))];
    const lastId = Math.max(Number(row.last_id), Number(last.get(id)?.id ?? 0), base?.lastId ?? 0);
    const counts = base ? sum([base.counts, ...layerCounts(id, base.layers)]) : (whole.get(id) as Counts);
    known.set(id, { layers: [id, ...(base?.layers ?? [])], counts, lastId });
    count.run(counts.live, counts.deleted, counts.bytes, lastId, id);
  }

  function* layerCounts(layer: number, bases: readonly number[]): Generator<Counts> {
    for (const { id, body } of records.all(layer)) {
      const under = bases.map((base) => record.get(base, id ?? null)).find((one) => one !== undefined);
      yield difference(parse(under?.body), parse(body), mark);
    }
  }
}

function parse(body: unknown): RecordValues | undefined {
  return typeof body === 'string' ? (JSON.parse(body) as RecordValues) : undefined;
}
