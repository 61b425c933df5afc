import type pg from 'pg';
import { LOCK_SPACE } from './parts.ts';
import { inTransaction } from './pools.ts';
import { BASE, PART } from './rows.ts';
import { longStatement, SCHEMA } from './schema.ts';

/** A page looks through replaced records of the base. It must not be more than this share. */
const MOST_REPLACED = 0.1;

const MERGE = `with merged as (
    delete from ${SCHEMA}.tally where part in (${PART}, ${BASE}) returning part, live, deleted
  )
  insert into ${SCHEMA}.tally select part, sum(live), sum(deleted) from merged group by part`;

const IS_REPLACED = `select base is not null and
    (select count(*) from ${SCHEMA}.record r where r.part = p.part) >
    ${MOST_REPLACED} * (select sum(live + deleted) from ${SCHEMA}.tally t where t.part = p.base) as replaced
  from ${SCHEMA}.part p where space = $1 and model = $2 and owned`;

/** Statements that copy the base to its part. The rows that count the records are the same then. */
const FLATTEN = [
  `insert into ${SCHEMA}.record (part, id, deleted, owner, data, plain, fields)
   select ${PART}, id, deleted, owner, data, plain, fields from ${SCHEMA}.record r where part = ${BASE}
     and not exists (select from ${SCHEMA}.record own where own.part = ${PART} and own.id = r.id)`,
  `delete from ${SCHEMA}.record where part = ${PART} and data is null`,
  `delete from ${SCHEMA}.tally where part = ${PART}`,
  `insert into ${SCHEMA}.tally
   select part, count(*) filter (where not deleted), count(*) filter (where deleted)
   from ${SCHEMA}.record where part = ${PART} group by part`,
  `update ${SCHEMA}.part set base = null where space = $1 and model = $2`,
];

/**
 * Merges the rows that count the records of a model. Copies its base if it differs from it too much. Waits until no
 * transaction writes to the space, because one that removes the model would not see the new rows.
 */
export function tidyModel(pool: pg.Pool, space: string, model: string): Promise<void> {
  return inTransaction(pool, async (client) => {
    await client.query(LOCK_SPACE, [space]);
    const ask = (text: string) => client.query(longStatement(text, [space, model]));
    await ask(MERGE);
    const { rows } = await ask(IS_REPLACED);
    if (rows[0]?.replaced === true) for (const text of FLATTEN) await ask(text);
  });
}
