import type { At, On } from './defects/defect.ts';
import { readOptions } from './plain/options.ts';
import { startPlain } from './plain/plain.ts';
import { createTables } from './records/tables.ts';
import { BASE } from './service.ts';
import { MODELS } from './source/source.ts';

/** The settings of the service that differ from the default, and its manners. */
export const FAULTY_SETTINGS = {
  'request.blankStrings': 'accept',
  'delete.effect': 'remove',
  'delete.answer': 'none',
  'status.deleted': 204,
  'errors.form': 'simple',
  'list.paging': 'none',
  'list.sort': 'none',
  'list.filter': 'none',
  'response.total': 'none',
};
const MANNERS = [
  ...['empty=kept', 'deletes=remove', 'deleteAnswer=none', 'deleted=204', 'errors=simple', 'begins=empty'],
  // It takes any query.
  ...['paging=none', 'sort=none', 'filter=none', 'total=none', 'unknownFields=ignore'],
];

/** A record as it is stored and shown. */
export type Row = { id: number; deleted: boolean } & Values;
type Values = Record<string, unknown>;
export type Tables = Readonly<Record<string, Map<number, Row>>>;

/** Where a service may go wrong; each is given what it may change, and gives what is used instead. */
export type Faults = {
  /** Returns the stored values of a create or update; `before` is the record to update. */
  readonly store?: (model: string, row: Row, sent: Values, before?: Row) => Row;
  /** Returns the shown values of a record. */
  readonly show?: (model: string, row: Row, where: On) => Row;
  /** The shown rows of a list; `all` are those that are stored. */
  readonly list?: (model: string, rows: Row[], all: Row[]) => Row[];
  /** Says no to a valid body. */
  readonly refuse?: (model: string, sent: Values, before?: Row) => boolean;
  /** Runs after a body was refused; `valid` is what is right in it. */
  readonly refused?: (model: string, sent: Values, valid: Values, before?: Row) => void;
  /** Runs after a write. */
  readonly after?: (operation: On, model: string, row: Row, tables: Tables) => void;
  /** Answers with a status before anything else does. */
  readonly first?: (method: string, path: string, tables: Tables) => number | undefined;
};

export type FaultyOptions = {
  readonly faults?: Faults;
  /** Records that are there before. */
  readonly rows?: Readonly<Record<string, readonly Values[]>>;
  /** Gives the ids of removed records again, as SQLite does without AUTOINCREMENT. */
  readonly reuseIds?: boolean;
};

const NOW = '2025-10-22T09:30:00Z';
const COMMON = { created: NOW, createUser: 1, updated: NOW, updateUser: 1, deleted: false };

/** Starts the plain service, with whole lists, and without marks of deleted records. It keeps the contract but for the faults. */
export async function startFaultyService({ faults = {}, reuseIds, rows = {} }: FaultyOptions = {}) {
  const stored = createTables(reuseIds ? 'used again' : 'counted');
  const tables = Object.fromEntries([...MODELS.keys()].map((name) => [name, stored.rowsOf(name)])) as Tables;
  const asked: string[] = [];
  /** The whole body of the request that is being answered, with the readonly fields. */
  let body: Values = {};
  const insert = (model: string, values: Values) =>
    stored.find(model, stored.insert(model, { ...COMMON, ...values })) as Row;
  for (const [model, given] of Object.entries(rows)) for (const row of given) insert(model, row);
  const beforeOf = ({ before }: At) => before as Row | undefined;
  const service = await startPlain({
    dialect: readOptions(MANNERS),
    tables: stored,
    defect: {
      answers: ({ id, method, model }) => {
        const path = [BASE, model, ...(id === undefined ? [] : [id])].join('/');
        asked.push(`${method} ${path}`);
        return faults.first?.(method, path, tables);
      },
      refuses: (at) => {
        body = at.sent ?? {};
        const isKnown = (sent: string) => at.model.fields.some(({ name }) => name === sent);
        if (!Object.keys(body).every(isKnown)) return true;
        return faults.refuse?.(at.model.name, body, beforeOf(at)) === true;
      },
      refused: (at, valid) => faults.refused?.(at.model.name, at.sent ?? {}, valid, beforeOf(at)),
      values: (values, at) => {
        const draft = { id: 0, deleted: false, ...at.before, ...values };
        const changed = faults.store?.(at.model.name, draft, body, beforeOf(at)) ?? draft;
        const { id: _, updated, ...kept } = changed as Row;
        return updated === at.before?.updated ? kept : { ...kept, updated };
      },
      after: ({ before, id = 0, model, on }) =>
        faults.after?.(on, model.name, (stored.find(model.name, id) ?? before) as Row, tables),
      shown: (row, { model, on }) => faults.show?.(model.name, row as Row, on) ?? row,
      listed: (shown, { model }) =>
        faults.list?.(model.name, shown as Row[], stored.all(model.name) as Row[]) ?? shown,
    },
  });
  // The requests so far are written as `POST /api/model/brand`.
  return { ...service, asked, insert, tables };
}
