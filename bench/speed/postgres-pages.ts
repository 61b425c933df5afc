/**
 * Measures pages of a large model over PostgreSQL: milliseconds of one page, and of twenty filtered pages at once, with
 * the memory of the mock. Compares each page with the plain SQL of the driver. The mock runs in this process, and another
 * process fills the database.
 *
 *   node bench/speed/postgres-pages.ts [--records 200000] [--rounds 5]
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createMock, type Mock } from '../../mock/mock.ts';
import { startPostgres } from '../../testing/stores/postgres.ts';

const PATH = '/api/model/warehouse';
const AT_ONCE = 20;
const TABLE = 'record_model_mock.record';
const ORDER = `order by data::json ->> 'name' collate "es-x-icu" desc, id limit 20`;
const MATCHING = `data::json ->> 'comments' = 's7'`;

/** Pages, each with SQL that gives the same records without an index on their fields. */
const PAGES: readonly (readonly [name: string, query: string, sql: string])[] = [
  [
    'plain page',
    '?limit=20',
    `select data, (select count(*) from ${TABLE} where not deleted) from ${TABLE} where not deleted order by id limit 20`,
  ],
  [
    'filtered page',
    '?comments=s7&limit=20',
    `select data, count(*) over () from ${TABLE} where not deleted and ${MATCHING} order by id limit 20`,
  ],
  ['sorted page', '?sort=-name&limit=20', `select data from ${TABLE} where not deleted ${ORDER}`],
  [
    'filtered, sorted',
    '?comments=s7&sort=-name&limit=20',
    `select data, count(*) over () from ${TABLE} where not deleted and ${MATCHING} ${ORDER}`,
  ],
];

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '5' },
    fill: { type: 'string' },
  },
});
const [records, rounds] = [Number(values.records), Number(values.rounds)];

if (values.fill !== undefined) await fill(values.fill);
else await measure();

async function fill(data: string): Promise<void> {
  const all = Array.from({ length: records }, (_, index) => ({
    id: index + 1,
    name: `Ñ ${(index * 7919) % records}`,
    comments: `s${index % 1000}`,
  }));
  await using _mock = await createMock({ fixtures: new Map([['warehouse', all]]), data });
}

async function measure(): Promise<void> {
  await using server = await startPostgres({ isDurable: true });
  const data = await server.database();
  const begun = performance.now();
  execFileSync(process.execPath, [import.meta.filename, '--fill', data, '--records', String(records)], {
    stdio: 'inherit',
  });
  print(`${records} records, filled in ${seconds(performance.now() - begun)}`);
  const driver = new pg.Pool({ connectionString: data });
  // The server ends before the pool if something fails.
  driver.on('error', () => undefined);
  await driver.query('vacuum analyze');
  const start = performance.now();
  await using mock = await createMock({ data });
  print(`  ready in ${seconds(performance.now() - start)}, memory ${memory()}`);
  for (const [name, query, sql] of PAGES) {
    const own: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      theirs.push(await time(() => driver.query(sql)));
      own.push(await time(() => ask(mock, query)));
    }
    const ratio = median(own) / median(theirs);
    print(
      `  ${name.padEnd(16)} ${range(own)}; SQL by the driver ${range(theirs)}; ${ratio.toFixed(2)} of it`,
    );
  }
  const statuses = new Map<string, number>();
  const count = async (index: number) => {
    const status = await ask(mock, `?comments=s${index}&sort=-name&limit=20`).then(
      () => '200',
      (error: Error) => error.message,
    );
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  const together = await time(() => Promise.all(Array.from({ length: AT_ONCE }, (_, index) => count(index))));
  const shown = [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ');
  print(
    `  ${AT_ONCE} filtered, sorted pages at once ${together.toFixed(0)} ms: ${shown}; memory ${memory()}`,
  );
  const copied = await time(() => create(mock));
  print(`  first create in a new session ${seconds(copied)}, which copies the records`);
  await driver.end();
}

async function create(mock: Mock): Promise<void> {
  const answer = await mock.handle({
    method: 'POST',
    target: `/__mock/sessions/new${PATH}`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"name":"Central"}'),
  });
  if (answer === 'dropped' || answer.status !== 201) throw new Error('The create was refused.');
}

async function ask(mock: Mock, query: string): Promise<void> {
  const target = PATH + query;
  const answer = await mock.handle({ method: 'GET', target, headers: {} });
  if (answer === 'dropped' || answer.status >= 300)
    throw new Error(answer === 'dropped' ? answer : String(answer.status));
}

async function time(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function range(numbers: readonly number[]): string {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)].map((one) => one.toFixed(0));
  return `${median(numbers).toFixed(1)} ms (${least} to ${most})`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** The peak of this process so far. */
function memory(): string {
  return `${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB at most`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
