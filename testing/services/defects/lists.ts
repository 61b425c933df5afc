import type { Row } from '../records/tables.ts';
import { type At, type Defect, LISTED, without } from './defect.ts';

function lists(
  name: string,
  model: string,
  change: (rows: Row[], at: At) => Row[],
  rules: readonly string[],
): Defect {
  return {
    name,
    rules,
    models: [model],
    listed: (rows, at) => (at.model.name === model ? change(rows, at) : rows),
  };
}

const WHOLE = [...LISTED, 'required.present', 'fields.type'];
const lastTwice = (rows: Row[]) => [...rows, ...rows.slice(-1)];

/** Lists that leave records out, show them twice, or show other ones. */
export const LISTS: readonly Defect[] = [
  lists('list-hides-new', 'lockerType', (rows) => rows.slice(0, 3), LISTED),
  lists('list-shows-one-twice', 'voucherCategory', lastTwice, [...LISTED, 'list.ids-unique']),
  lists('list-shows-task-twice', 'subscriptionTask', lastTwice, LISTED),
  lists('list-leaves-out-field', 'warehouse', (rows) => rows.map((row) => without(row, 'name')), WHOLE),
  lists('list-without-ids', 'customerGroup', (rows) => rows.map((row) => without(row, 'id')), [
    'fields.id',
    ...LISTED,
  ]),
  lists('list-shows-old-name', 'shareTransfer', (rows) => rows.map((row) => ({ ...row, price: 1 })), LISTED),
  lists(
    'list-shows-old-update',
    'brand',
    (rows) => rows.map((row) => ({ ...row, updated: '2001-01-01T00:00:00.000Z' })),
    LISTED,
  ),
  lists(
    'list-mixes-records-up',
    'deposit',
    (rows) => rows.map((row, index) => ({ ...row, balance: rows.at(index - 1)?.balance ?? row.balance })),
    LISTED,
  ),
  lists('list-of-another-model', 'editedSale', (_, { tables }) => tables.all('warehouse'), WHOLE),
  lists('list-shows-what-is-deleted', 'supplier', listDeleted(), ['operations.delete', ...LISTED]),
  {
    name: 'total-counts-the-page',
    rules: ['profile.response.total', 'list.total'],
    models: ['brand'],
    total: (_, shown) => shown,
  },
  {
    name: 'page-misses-one',
    rules: ['profile.list.paging', 'profile.pages', 'list.pages', 'profile.response.total'],
    models: ['brand'],
    page: (rows, all) => (rows.length > 0 && rows[0] !== all[0] ? rows.slice(1) : rows),
  },
  {
    name: 'page-shows-first-twice',
    rules: ['profile.list.paging', 'profile.pages', 'list.pages'],
    models: ['brand'],
    page: (rows, all) =>
      rows.length > 0 && rows.length < all.length && rows[0] !== all[0]
        ? [all[0] ?? {}, ...rows.slice(1)]
        : rows,
  },
  pages('pages-hold-one-less', (rows, all) =>
    rows.length < all.length && rows[1] ? rows.slice(0, -1) : rows,
  ),
  pages('last-page-lacks-last', (rows, all) =>
    rows[1] && rows.at(-1) === all.at(-1) && rows[0] !== all[0] ? rows.slice(0, -1) : rows,
  ),
  pages('high-offset-skips-one', (rows, all) => {
    const start = rows[0] ? all.indexOf(rows[0]) : 0;
    return start < 10 ? rows : all.slice(start + 1, start + 1 + rows.length);
  }),
];

function pages(name: string, page: Required<Defect>['page']): Defect {
  return { name, rules: ['profile.pages', 'list.shows-record'], models: ['brand'], page };
}

/** Keeps showing what a delete took away. */
function listDeleted(): (rows: Row[], at: At) => Row[] {
  // By service, because the proof tries the defect on several.
  const seenIn = new WeakMap<object, Map<number, Row>>();
  return (rows, { tables }) => {
    const seen = seenIn.get(tables) ?? new Map<number, Row>();
    seenIn.set(tables, seen);
    for (const row of rows) seen.set(Number(row.id), row);
    return [...seen.values()];
  };
}
