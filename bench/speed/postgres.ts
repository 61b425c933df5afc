/**
 * Measures the mock over PostgreSQL: requests per second as ratios to single-row statements of the driver, in one process,
 * ten at once or `--at-once`. Short turns expose both to the same load. Prints the median of the rounds. `npm run bench`
 * has replicas, over HTTP.
 *
 *   node bench/speed/postgres.ts [--records 10000] [--rounds 40] [--amount 250] [--at-once 10]
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createMock, type Mock } from '../../mock/mock.ts';
import { startPostgres } from '../../testing/stores/postgres.ts';

/** At most twice the time of the driver. */
const ASKED = 0.5;
const PATH = '/api/model/warehouse';
const SENT = { name: 'Central', comments: 'Left of the door' };

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '40' },
    amount: { type: 'string', default: '250' },
    'at-once': { type: 'string', default: '10' },
  },
});
const [records, rounds, amount, atOnce] = [
  values.records,
  values.rounds,
  values.amount,
  values['at-once'],
].map(Number) as [number, number, number, number];

await using server = await startPostgres({ isDurable: true });
await compareStatements();

async function compareStatements(): Promise<void> {
  const data = await server.database();
  const pool = new pg.Pool({ connectionString: data, max: atOnce });
  // The server ends before the pool where something fails.
  pool.on('error', () => undefined);
  const mock = await createMock({ fixtures: warehouses(), data });
  await pool.query(
    'create table own (id bigint generated always as identity primary key, data text not null)',
  );
  await pool.query('insert into own (data) select $1 from generate_series(1, $2)', [
    JSON.stringify({
      ...SENT,
      created: '2025-10-22T00:00:00Z',
      updated: '2025-10-22T00:00:00Z',
      deleted: false,
    }),
    records,
  ]);
  await pool.query('vacuum analyze');
  const body = Buffer.from(JSON.stringify(SENT));
  const rows: [
    name: string,
    driver: (number: number) => Promise<unknown>,
    ours: (number: number) => Promise<void>,
  ][] = [
    [
      'retrieve',
      (number) =>
        pool.query({ name: 'get', text: 'select data from own where id = $1', values: [idOf(number)] }),
      (number) => ask(mock, 'GET', `${PATH}/${idOf(number)}`),
    ],
    [
      'create',
      () =>
        pool.query({
          name: 'put',
          text: 'insert into own (data) values ($1) returning id',
          values: [String(body)],
        }),
      () => ask(mock, 'POST', PATH, body),
    ],
    [
      'update',
      (number) =>
        pool.query({
          name: 'change',
          text: 'update own set data = $2 where id = $1',
          values: [idOf(number), String(body)],
        }),
      (number) => ask(mock, 'POST', `${PATH}/${idOf(number)}`, body),
    ],
    [
      'list of 20',
      () =>
        pool.query({
          name: 'list',
          text: 'select data, (select count(*) from own) as total from own order by id limit 20',
          values: [],
        }),
      () => ask(mock, 'GET', `${PATH}?limit=20`),
    ],
  ];
  print(
    `${records} records, ${atOnce} at once, in one process; PostgreSQL writes to the disk before it answers`,
  );
  for (const [name, driver, ours] of rows) {
    const ratios: number[] = [];
    const rates = { driver: 0, ours: 0 };
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      [rates.driver, rates.ours] = [await rate(driver), await rate(ours)];
      if (round > 0) ratios.push(rates.ours / rates.driver);
    }
    // A list is no statement of one row.
    const verdict = name.startsWith('list')
      ? ''
      : `, ≥ ${ASKED} ${median(ratios) >= ASKED ? 'met' : 'not met'}`;
    print(
      `  ${name.padEnd(11)} ${median(ratios).toFixed(2)} of the driver's own statement${verdict} ` +
        `(half of them ${quarters(ratios)}; last round ${rates.ours.toFixed(0)} against ${rates.driver.toFixed(0)} a second)`,
    );
  }
  const filtered: number[] = [];
  for (let round = 0; round < 5; round++) {
    const begun = performance.now();
    await ask(mock, 'GET', `${PATH}?sort=-name&limit=20`);
    filtered.push(performance.now() - begun);
  }
  print(`  a sorted page of ${records} records takes ${median(filtered).toFixed(0)} ms`);
  await mock.close();
  await pool.end();
}

async function rate(run: (number: number) => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < amount) {
      next += 1;
      await run(next);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return amount / ((performance.now() - begun) / 1000);
}

async function ask(mock: Mock, method: string, target: string, body?: Buffer): Promise<void> {
  const headers = body ? { 'content-type': 'application/json' } : {};
  const answer = await mock.handle({ method, target, headers, body });
  if (answer === 'dropped' || answer.status >= 300) throw new Error(`${method} ${target} was refused`);
}

function warehouses() {
  const all = Array.from({ length: records }, (_, index) => ({ id: index + 1, ...SENT }));
  return new Map([['warehouse', all]]);
}

function idOf(number: number): number {
  return (number % records) + 1;
}

/** Between which values the middle half lies. */
function quarters(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((one, other) => one - other);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)]?.toFixed(2);
  return `${at(0.25)} to ${at(0.75)}`;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
