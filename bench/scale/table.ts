import { availableParallelism } from 'node:os';
import { MEMORY, MEMORY_OF_FEW, ONE_REPLICA, THREE_REPLICAS } from './contestants.ts';
import { COLUMNS, type Column } from './requests.ts';
import type { Server } from './server.ts';

/** The figures of a server in a column, one per round. */
export type Measured = {
  /** Requests a second. */
  readonly rates: number[];
  /** The same as ratios to the rate of the first server just before. */
  readonly ratios: number[];
};

export type Row = {
  readonly server: Server;
  /** MiB. */
  readonly atStart: number;
  readonly columns: ReadonlyMap<Column, Measured>;
};

/** At 1 M records as fast as with few, but for so much. */
const OF_FEW = 0.85;
/** Milliseconds, and of how many records. */
const PAGE = 5;
const OF_MANY = 100_000;
const OF_JSON = 3;
const OF_ONE = 1.6;

/** Renders the table for a number of records, and one line for each other goal. `json` is their size in bytes. */
export function describeTable(records: number, rows: readonly Row[], json: number): string[] {
  return [
    `\n## ${records.toLocaleString('en')} records\n`,
    `| | ready, ms | MiB at start | after load | ${COLUMNS.join(' | ')} |`,
    `| --- | --: | --: | --: |${COLUMNS.map(() => ' --: |').join('')}`,
    ...rows.map(describeRow),
    '',
    ...describeAsked(records, rows, json).map((line) => `- ${line}`),
  ];
}

function describeRow({ atStart, columns, server }: Row): string {
  const { asked = {}, name } = server.contestant;
  const cells = COLUMNS.map((column) => {
    const { ratios = [] } = columns.get(column) ?? {};
    if (ratios.length === 0) return '–';
    const least = asked[column];
    const spread = `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`;
    return least === undefined ? spread : `${spread}, ${verdict(median(ratios) >= least, `≥ ${least}`)}`;
  });
  const memory = [atStart, server.memory()].map((size) => (size > 0 ? size.toFixed(0) : '–'));
  return `| ${[name, server.ready.toFixed(0), ...memory, ...cells].join(' | ')} |`;
}

function describeAsked(records: number, rows: readonly Row[], json: number): string[] {
  const of = (name: string) => rows.find(({ server }) => server.contestant.name === name);
  const measured = (row: Row, column: Column) => row.columns.get(column) ?? { rates: [], ratios: [] };
  const ratio = (one: Row, other: Row, column: Column) =>
    median(measured(one, column).ratios) / median(measured(other, column).ratios);
  const [memory, few, one, three] = [MEMORY, MEMORY_OF_FEW, ONE_REPLICA, THREE_REPLICAS].map(of);
  const held = rows.find(({ server }) => server.held !== undefined)?.server.held;
  const lines: string[] = [];
  if (memory && records >= OF_MANY) {
    const ms = 1000 / median(measured(memory, 'filtered, sorted').rates);
    const answer = records > OF_MANY ? '' : `, ${verdict(ms < PAGE, `< ${PAGE} ms`)}`;
    lines.push(`memory: a filtered and sorted page takes ${ms.toFixed(2)} ms${answer}`);
  }
  if (memory && few)
    for (const column of ['retrieve', 'list of 20', 'create', 'update', 'delete'] as const) {
      const found = ratio(memory, few, column);
      lines.push(
        `memory: ${column} is ${found.toFixed(2)} of that with 20 records, ${verdict(found >= OF_FEW, `≥ ${OF_FEW}`)}`,
      );
    }
  // Of few records the rest of the mock is most of it.
  if (held !== undefined && records >= 10_000)
    lines.push(
      `memory: the records take ${(held / json).toFixed(2)} times their JSON, ${verdict(held <= OF_JSON * json, `≤ ${OF_JSON}`)}`,
    );
  if (one && three) {
    const found = ratio(three, one, 'retrieve');
    const cores = `on ${availableParallelism()} cores, which the database and who asks share`;
    lines.push(
      `PostgreSQL: 3 replicas retrieve ${found.toFixed(2)} times as fast as one ${cores}, ${verdict(found >= OF_ONE, `≥ ${OF_ONE}`)}`,
    );
  }
  return lines;
}

export function verdict(isMet: boolean, asked: string): string {
  return `${asked} ${isMet ? 'met' : 'not met'}`;
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
