import type { Ask, Row } from './rows.ts';
import { longStatement, SCHEMA } from './schema.ts';

/** Arbitrary advisory-lock keys begin here, one for each space. */
const FIRST_LOCK = 7_265_638_000_000;

/** Waits until no other transaction writes to the space $1, and lets none do so until the end of this one. */
export const LOCK_SPACE = `select pg_advisory_xact_lock(${FIRST_LOCK} + $1::bigint)`;

/** Selects the models whose parts the space $1 owns. */
export const OWNED = `select model from ${SCHEMA}.part where space = $1 and owned`;

/** In a transaction: creates missing parts, and those on top of parts that other spaces use. */
export async function ownParts(ask: Ask, space: string, models: readonly string[]): Promise<void> {
  if (models.length === 0) return;
  const text = `select p.model, p.part, p.base, p.owned, exists (
      select from ${SCHEMA}.part o where o.part = p.part and o.space <> p.space or o.base = p.part
    ) as shared
    from ${SCHEMA}.part p where p.space = $1 and p.model = any ($2)`;
  const { rows } = await ask({ name: 'parts', text, values: [space, models] });
  for (const model of models) {
    const part = rows.find((row) => row.model === model);
    if (!part) await make(model);
    else if (part.owned !== true && part.shared === true) await cover(model, part);
    else if (part.owned !== true) await take(model);
  }

  async function make(model: string): Promise<void> {
    const text = `insert into ${SCHEMA}.part (space, model, part, owned)
      values ($1, $2, nextval('${SCHEMA}.part_ids'), true)`;
    await ask({ name: 'make-part', text, values: [space, model] });
  }

  async function take(model: string): Promise<void> {
    const text = `update ${SCHEMA}.part set owned = true where space = $1 and model = $2`;
    await ask({ name: 'take-part', text, values: [space, model] });
  }

  /** Makes the part the base of a new one. A part that has a base is copied, because bases have none. */
  async function cover(model: string, { base, part }: Row): Promise<void> {
    const text = `update ${SCHEMA}.part
      set part = nextval('${SCHEMA}.part_ids'), owned = true, base = coalesce(base, part)
      where space = $1 and model = $2 returning part`;
    const { rows } = await ask({ name: 'cover-part', text, values: [space, model] });
    if (base === null) return;
    const copy = `insert into ${SCHEMA}.record (part, id, deleted, owner, data, plain, fields)
      select $1::bigint, id, deleted, owner, data, plain, fields from ${SCHEMA}.record where part = $2`;
    // The part has few rows, but PostgreSQL estimates the size of an average part, and would read the whole table.
    await ask({ text: 'set local enable_seqscan = off', values: [] });
    await ask({ name: 'copy-part', ...longStatement(copy, [rows[0]?.part, part]) });
    await ask({ text: 'set local enable_seqscan = on', values: [] });
  }
}
