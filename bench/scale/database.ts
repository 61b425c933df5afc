import pg from 'pg';
import { createMock, type Mock } from '../../mock/mock.ts';
import { sortKey } from '../../spec/types/sort-key.ts';
import type { Server } from './server.ts';
import { median, verdict } from './table.ts';

/** At most this number of times the time of the driver's own statement. */
const MOST = 3;
/** Milliseconds and MB for a million records. */
const READY = 15_000;
const MEMORY = 300;
const MEGABYTE = 1_000_000 / 2 ** 20;
const MILLION = 1_000_000;
/** Milliseconds for the first write after a snapshot. */
const FIRST_WRITE = 1000;

const AT_ONCE = 10;
const PAGES_AT_ONCE = 20;
/** Requests in a round: of short statements, and of those that look at all records. */
const SHORT = 2000;
const LONG = 1;
/** How many different pages are read. */
const PAGES = 100;

const SCHEMA = 'record_model_mock';
const RECORDS = `from ${SCHEMA}.record where part = $1 and not deleted`;
const MATCHING = `keys ->> 'comments' = '${sortKey('string', 's7')}'`;
const SENT = { name: 'Central', comments: 'left' };

type Row = {
  readonly name: string;
  /** The statement of the driver. $1 is where the records are, and $2 the number of the request if it needs it. */
  readonly sql: string;
  /** The path for the number of a request. */
  readonly path: (number: number) => string;
  readonly body?: string;
  readonly amount: number;
};

/** Requests, each with the SQL that does the same for the same records. */
const ROWS: readonly Row[] = [
  {
    name: 'page',
    sql: `select data ${RECORDS} order by id limit 20`,
    path: () => '?limit=20',
    amount: SHORT,
  },
  {
    // The mock shares the query for the same page among its clients.
    name: 'different pages',
    sql: `select data ${RECORDS} order by id offset $2::integer % ${PAGES} limit 20`,
    path: (number) => `?limit=20&offset=${number % PAGES}`,
    amount: SHORT,
  },
  {
    name: 'filtered, sorted page with a total',
    sql: `select data, count(*) over () ${RECORDS} and ${MATCHING}
      order by keys ->> 'name' collate "C" desc nulls last, id limit 20`,
    path: () => '?comments=s7&sort=-name&limit=20',
    amount: LONG,
  },
  {
    name: 'count with a filter',
    sql: `select count(*) ${RECORDS} and ${MATCHING}`,
    path: () => '?comments=s7&limit=1',
    amount: LONG,
  },
  {
    name: 'create',
    sql: `insert into own (part, id, deleted, data, keys)
      select $1, nextval('own_ids'), false, given, given::jsonb from (values ('${JSON.stringify(SENT)}')) one (given)`,
    path: () => '',
    body: JSON.stringify(SENT),
    amount: SHORT,
  },
];

/**
 * Compares a mock over PostgreSQL with the driver. Statements are compared in this process, with another replica of the
 * mock, so that neither pays for sockets. Returns the lines to print.
 */
export async function compareWithDriver(
  { contestant, memory, ready, urls: [url = ''] }: Server,
  options: { readonly database: string; readonly records: number; readonly rounds: number },
): Promise<string[]> {
  const { database, records, rounds } = options;
  const { collection } = contestant.paths;
  const driver = new pg.Pool({ connectionString: database, max: AT_ONCE });
  const lines: string[] = [];
  await using mock = await createMock({ data: database });
  try {
    const part = await prepare(driver);
    for (const row of ROWS) {
      const own: number[] = [];
      const theirs: number[] = [];
      // The first round warms up.
      for (let round = 0; round <= rounds; round++) {
        theirs.push(
          await time(row.amount, (number) =>
            driver.query({
              name: row.name,
              text: row.sql,
              values: row.sql.includes('$2') ? [part, number] : [part],
            }),
          ),
        );
        own.push(await time(row.amount, (number) => call(mock, collection + row.path(number), row.body)));
      }
      const [mine, direct] = [own, theirs].map((all) => median(all.slice(1))) as [number, number];
      const ratio = mine / direct;
      lines.push(
        `${row.name}: ${mine.toFixed(1)} ms, ${direct.toFixed(1)} ms by the driver, ${ratio.toFixed(2)} times, ${verdict(ratio <= MOST, `≤ ${MOST}`)}`,
      );
    }
    const statuses: number[] = [];
    const together = await time(1, () =>
      Promise.all(
        Array.from({ length: PAGES_AT_ONCE }, async (_, index) => {
          const response = await fetch(
            `${url}${collection}?comments=s${index % 10}&sort=-name&limit=20&offset=${index}`,
          );
          await response.text();
          statuses.push(response.status);
        }),
      ),
    );
    const failed = statuses.filter((status) => status !== 200).length;
    lines.push(
      `${PAGES_AT_ONCE} filtered, sorted pages at once: ${together.toFixed(0)} ms, ${failed} failed, ${verdict(failed === 0, '≤ 0')}`,
    );
    await post(`${url}/__mock/snapshots`, { name: 'bench' });
    const first = await time(1, () => post(url + collection, SENT));
    lines.push(
      `first create after a snapshot: ${first.toFixed(0)} ms, ${verdict(first < FIRST_WRITE, `< ${FIRST_WRITE} ms`)}`,
    );
    const most = memory() / MEGABYTE;
    lines.push(
      `memory after all this: ${most.toFixed(0)} MB${ofMillion(records, most < MEMORY, `< ${MEMORY}`)}`,
    );
    const { bytes, ms } = await readState(url);
    lines.push(
      `/__mock/state: ${(bytes / 1e6).toFixed(0)} MB in ${ms.toFixed(0)} ms, with ${(memory() / MEGABYTE).toFixed(0)} MB of memory after it`,
    );
    lines.push(
      `ready with an empty database: ${ready.toFixed(0)} ms${ofMillion(records, ready < READY, `< ${READY}`)}`,
    );
    return lines.map((line) => `PostgreSQL: ${line}`);
  } finally {
    await driver.end();
  }
}

/** Creates a table like that of the mock with the same records. Returns where the records are. */
async function prepare(driver: pg.Pool): Promise<string> {
  const { rows } = await driver.query(
    `select part from ${SCHEMA}.record group by part order by count(*) desc limit 1`,
  );
  const [{ part }] = rows;
  await driver.query(`create table own (like ${SCHEMA}.record including all)`);
  await driver.query(`insert into own select * from ${SCHEMA}.record where part = $1`, [part]);
  await driver.query('create sequence own_ids start 100000000');
  await driver.query('vacuum analyze');
  return part;
}

async function call(mock: Mock, target: string, body?: string): Promise<void> {
  const sent = body === undefined ? { method: 'GET' } : { method: 'POST', body: Buffer.from(body) };
  const answer = await mock.handle({ ...sent, target, headers: { 'content-type': 'application/json' } });
  if (answer === 'dropped' || answer.status >= 300) throw new Error(`${target} was rejected.`);
}

async function post(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} returned ${response.status}.`);
}

/** Returns the milliseconds for one call, of a number of calls over ten connections. */
async function time(amount: number, run: (number: number) => Promise<unknown>): Promise<number> {
  let left = amount;
  const begun = performance.now();
  const work = async () => {
    while (left-- > 0) await run(left);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, amount) }, work));
  return (performance.now() - begun) / amount;
}

async function readState(url: string): Promise<{ bytes: number; ms: number }> {
  const begun = performance.now();
  const response = await fetch(`${url}/__mock/state`);
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  return { bytes, ms: performance.now() - begun };
}

function ofMillion(records: number, isMet: boolean, asked: string): string {
  return records === MILLION ? `, ${verdict(isMet, asked)}` : '';
}
