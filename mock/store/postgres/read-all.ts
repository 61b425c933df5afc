import type pg from 'pg';
import { type RecordsPart, StoreAway } from '../store.ts';
import { firstRecords } from './rows.ts';

const MOST_IN_PART = 100;

/** Milliseconds until a client that does not read loses the connection to the database. */
const LONGEST_PAUSE = 30_000;

const NEXT = {
  name: 'next-part',
  text: `select id, data from ${firstRecords('id > $3::bigint', `${MOST_IN_PART}`)} found order by id limit ${MOST_IN_PART}`,
};

/** Reads all records of models in one transaction, which sees no writes of others. */
export async function* readAll(
  pool: pg.Pool,
  space: string,
  models: readonly string[],
  told: <Result>(ask: () => Promise<Result>) => Promise<Result>,
): AsyncGenerator<RecordsPart> {
  const client = await told(() => pool.connect());
  let isHeld = true;
  let late: NodeJS.Timeout | undefined;
  /** Returns the connection. Closes one that is in the middle of the transaction. */
  const letGo = (isWhole: boolean) => {
    clearTimeout(late);
    if (isHeld) client.release(!isWhole);
    isHeld = false;
  };
  try {
    await told(() => client.query('begin isolation level repeatable read read only'));
    for (const model of models) {
      let last = String(Number.MIN_SAFE_INTEGER);
      for (let isFirst = true; ; isFirst = false) {
        const { rows } = await told(() => client.query({ ...NEXT, values: [space, model, last] }));
        if (rows.length === 0 && !isFirst) break;
        late = setTimeout(letGo, LONGEST_PAUSE, false);
        yield { model, records: rows.map(({ data }) => JSON.parse(data)) };
        clearTimeout(late);
        if (!isHeld) throw new StoreAway(`No part of the records was read for ${LONGEST_PAUSE / 1000} s.`);
        if (rows.length < MOST_IN_PART) break;
        last = rows.at(-1).id;
      }
    }
    await told(() => client.query('commit'));
    letGo(true);
  } finally {
    letGo(false);
  }
}
