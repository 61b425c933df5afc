import type { RecordValues } from '../../../../spec/wire/record-codec.ts';
import { conditionOf, meetsAll, searchRecords, sortRecords } from '../../search.ts';
import type { Filter, Found, Layout, Query } from '../../store.ts';
import { type Ask, BASE, firstRecords, fromRecords, PART, type Row, type Seen, toRecord } from '../rows.ts';
import { SCHEMA } from '../schema.ts';
import { type Bind, filterSql, orderSql } from './expressions.ts';

/** Where and how records are read. */
export type Reading = {
  readonly ask: Ask;
  readonly space: string;
  readonly seen: Seen;
  readonly layout: Layout;
  /** Tidies the rows of a model. Absent in a transaction. */
  readonly tidy?: (model: string) => void;
};

/** A way to run a query, with its cost. */
export type Plan = {
  /**
   * The records that the database sends or looks at: `page` sends a page found by an index, `scan` looks at all records
   * of the model and sends a page, and `all` sends all records that match what SQL can express.
   */
  readonly reads: 'page' | 'scan' | 'all';
  /** Resolves to undefined if this process must place too many records. */
  run(): Promise<Found | undefined>;
  /** Returns the plan to use then. */
  otherwise?(): Plan;
};

/** Maximum number of records that this process places in a page of the database. */
const MOST_APART = 5000;

/** With more rows that count the records of a model, a reader tidies the model. */
const MOST_TALLIES = 500;

/** Returns the records of a query. */
export function findRecords(reading: Reading, model: string, query: Query): Promise<Found> {
  return runPlan(planFind(reading, model, query), (_, run) => run());
}

/** Runs a plan, and otherwise the next one. `inLane` waits for its turn by what a plan reads. */
export async function runPlan(
  plan: Plan,
  inLane: <Result>(reads: Plan['reads'], run: () => Promise<Result>) => Promise<Result>,
): Promise<Found> {
  const found = await inLane(plan.reads, plan.run);
  if (found) return found;
  if (!plan.otherwise) throw new TypeError('A plan without another one found nothing.');
  return runPlan(plan.otherwise(), inLane);
}

/**
 * Plans a query. The database filters and sorts, except by durations and lists, and by strings where it does that in
 * another way than the store in memory.
 */
export function planFind(reading: Reading, model: string, query: Query): Plan {
  const { filters = [], sort = [] } = query;
  const base = createBase(reading, model, query);
  const { bind, link } = base;
  const others = filters.filter((one) => one !== link);
  if (others.length + sort.length === 0) return planPage(reading, model, query, base);
  const conditions = others.map((filter) => filterSql(filter, bind));
  const order = orderSql(sort, bind);
  if (!order || !isDefined(conditions)) return planAll(reading, model, query);
  return {
    reads: base.reads === 'few' ? 'page' : 'scan',
    run: planScan(reading, model, query, base, { conditions, order }),
    otherwise: () => planAll(reading, model, query),
  };
}

function isDefined(texts: readonly (string | undefined)[]): texts is readonly string[] {
  return !texts.includes(undefined);
}

function createBase({ layout, space }: Reading, model: string, { filters = [], liveOnly }: Query): Base {
  const [field] = layout.links.get(model) ?? [];
  const link = filters.find(
    ({ field: name, operator, values }) =>
      operator === 'equal' && name === field && Number.isSafeInteger(values[0]),
  );
  const values: unknown[] = [space, model];
  const bind: Bind = (value, type) => {
    values.push(value);
    return `$${values.length}::${type}`;
  };
  const conditions = [
    liveOnly ? 'not deleted' : 'true',
    ...(link ? [`owner = ${bind(link.values[0], 'bigint')}`] : []),
  ];
  const kind = `${liveOnly ? 'live' : 'all'}${link ? '-owned' : ''}`;
  const reads =
    link !== undefined || filters.some((one) => one.operator === 'equal' && one.field === 'id')
      ? 'few'
      : 'all';
  return { kind, text: conditions.join(' and '), values, bind, link, reads };
}

/** The condition that indexes serve, and the values of the statement so far. */
type Base = {
  /** A name for the text of the conditions. */
  readonly kind: string;
  readonly text: string;
  readonly values: unknown[];
  readonly bind: Bind;
  /** The condition on the link of a line to its parent. */
  readonly link: Filter | undefined;
  /** Whether an index finds the records. */
  readonly reads: 'few' | 'all';
};

/** The parts of a statement that filters and sorts. */
type Scan = {
  readonly conditions: readonly string[];
  readonly order: readonly { readonly key: string; readonly direction: string }[];
};

/** Plans a query without filters and order, other than the lines of a parent. */
function planPage(reading: Reading, model: string, query: Query, base: Base): Plan {
  const { offset = 0, size } = query;
  const { bind, kind, reads, text, values } = base;
  const { ask } = reading;
  const read = reader(reading, model);
  if (size === undefined && offset === 0)
    return {
      reads: 'page',
      run: async () => {
        const all = `select id, data ${fromRecords(text, reads)} order by id`;
        const { rows } = await ask({ name: `list-${kind}`, text: all, values });
        return { records: rows.map(read), total: rows.length };
      },
    };
  const total = totalSql(query, base);
  const [skipped, limit] = [bind(offsetOf(query), 'bigint'), bind(sizeOf(query), 'bigint')];
  const first = firstRecords(text, `${skipped} + ${limit}`);
  const page = `select id, data from ${first} found order by id offset ${skipped} limit ${limit}`;
  return {
    reads: 'page',
    run: async () => {
      // In one statement, so that the total fits the page.
      const statement = {
        name: `page-${kind}${total === NO_TOTAL ? '' : '-counted'}`,
        text: `select total as id, tallies::text as data from (${total}) counted
          union all select id, data from (${page}) page`,
        values,
      };
      // Each column of each row costs the driver time, so that the total is in those of a record.
      const [counted, ...records] = (await ask(statement)).rows;
      tidyIfMany(reading, model, counted?.data);
      return {
        records: records.map(read),
        total: Number(counted?.id ?? offsetOf(query) + records.length),
      };
    },
  };
}

/** Plans a query that this process must check. It reads all records that the expressible conditions match. */
function planAll(reading: Reading, model: string, query: Query): Plan {
  const { filters = [] } = query;
  const { bind, link, reads, text, values } = createBase(reading, model, query);
  const conditions = filters.filter((one) => one !== link).flatMap((filter) => filterSql(filter, bind) ?? []);
  const matching = conditions.length > 0 ? ` and (fields is null or (${conditions.join(' and ')}))` : '';
  const all = `select id, data ${fromRecords(text + matching, reads)} order by id`;
  return {
    reads: 'all',
    run: async () => {
      const { rows } = await reading.ask({ text: all, values });
      return searchRecords(rows.map(reader(reading, model)), query);
    },
  };
}

/**
 * Filters and sorts in the database. Adds the records that the database does not have as jsonb: since any of them can be
 * before the page, the page begins earlier by their number.
 */
function planScan(
  reading: Reading,
  model: string,
  query: Query,
  base: Base,
  { conditions, order }: Scan,
): Plan['run'] {
  const { filters = [], sort = [], withTotal = true } = query;
  const { bind, reads, text, values } = base;
  const [offset, size] = [bind(offsetOf(query), 'bigint'), bind(sizeOf(query), 'bigint')];
  const keys = order.map(({ key }, index) => `, ${key} as key${index}`).join('');
  const directions = order.map(({ direction }, index) => `key${index} ${direction}, `).join('');
  const matching = ['fields is not null', ...conditions].join(' and ');
  const apart = 'not plain and fields is null';
  const total =
    conditions.length > 0 && withTotal
      ? 'select (select count(*) from found) as total, null::bigint as tallies'
      : totalSql(query, base);
  const statement = `
    with unread as materialized (select id, data ${fromRecords(`${text} and ${apart}`, reads)} limit ${MOST_APART + 1}),
    found as (select id${keys} ${fromRecords(`${text} and ${matching}`, reads)})
    select null as id, null as data, counted.*, false as is_unread from (${total}) counted
    union all select id, data, null, null, true from unread
    union all select id, (select data ${fromRecords('r.id = page.id', 'few')}), null, null, false
    from (
      select id from found order by ${directions}id
      offset greatest(0, ${offset} - (select count(*) from unread))
      limit ${size} + least(${offset}, (select count(*) from unread))
    ) page`;
  return async () => {
    const { rows } = await reading.ask({ text: statement, values });
    const read = reader(reading, model);
    const [counted, ...others] = rows;
    tidyIfMany(reading, model, counted?.tallies);
    if (others.filter((row) => row.is_unread === true).length > MOST_APART) return undefined;
    const unread = others.filter((row) => row.is_unread === true).map(read);
    const page = others.filter((row) => row.is_unread !== true).map(read);
    const added = unread.filter(meetsAll(filters.map(conditionOf)));
    const start = Math.max(0, offsetOf(query) - unread.length);
    const sorted = sortRecords([...page, ...added], sort).slice(offsetOf(query) - start);
    const records = sorted.slice(0, sizeOf(query) ?? undefined);
    if (!withTotal) return { records, total: offsetOf(query) + records.length };
    const total = Number(counted?.total);
    return { records, total: conditions.length > 0 ? total + added.length : total };
  };
}

const NO_TOTAL = 'select null::bigint as total, null::bigint as tallies';

/** Counts the records without conditions other than those of indexes. */
function totalSql({ liveOnly, withTotal = true }: Query, { link, reads, text }: Base): string {
  if (!withTotal) return NO_TOTAL;
  if (link) return `select count(*) as total, null::bigint as tallies ${fromRecords(text, reads)}`;
  return `select coalesce(sum(live${liveOnly ? '' : ' + deleted'}), 0)::bigint as total, count(*) as tallies
    from ${SCHEMA}.tally where part in (${PART}, ${BASE})`;
}

/** Tidies a model if many rows count its records. */
function tidyIfMany({ tidy }: Reading, model: string, tallies: unknown): void {
  if (Number(tallies) > MOST_TALLIES) tidy?.(model);
}

function reader({ seen, space }: Reading, model: string): (row: Row) => RecordValues {
  return (row) => toRecord(seen, space, model, row);
}

function offsetOf({ offset = 0 }: Query): number {
  return Math.min(offset, Number.MAX_SAFE_INTEGER);
}

/** Returns null if all are wanted. */
function sizeOf({ size }: Query): number | null {
  return size === undefined || !Number.isSafeInteger(size) ? null : size;
}
