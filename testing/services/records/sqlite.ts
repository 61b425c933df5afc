import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { linkOf } from '../source/links.ts';
import { MODELS, type Model } from '../source/source.ts';
import { Conflict, type Row, type Tables } from './tables.ts';

const KINDS: Readonly<Record<string, string>> = {
  int: 'INTEGER',
  bool: 'INTEGER',
  float: 'REAL',
  currency: 'REAL',
  percent: 'REAL',
  string: 'TEXT',
  text: 'TEXT',
  date: 'TEXT',
  datetime: 'TEXT',
};
const AS_JSON = ['daysOfWeek', 'manyToMany'];

/**
 * One table per model, with a unique index for fields such as `brand.name`. SQLite checks IDs of other records, and
 * chooses the IDs: without AUTOINCREMENT, it uses a free greatest ID again.
 */
export function openTables(unique: readonly string[]): Tables & { close(): void } {
  const db = new DatabaseSync(':memory:');
  for (const model of MODELS.values()) db.exec(`CREATE TABLE "${model.name}" (${columns(model)})`);
  for (const key of unique) {
    const [model, field] = key.split('.');
    db.exec(`CREATE UNIQUE INDEX "${key}" ON "${model}" ("${field}")`);
  }
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  const prepare = (sql: string) => {
    const known = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  return {
    all: (model) =>
      prepare(`SELECT * FROM "${model}" ORDER BY id`)
        .all()
        .map((row) => decode(model, row)),
    find: (model, id) => {
      const row = prepare(`SELECT * FROM "${model}" WHERE id = ?`).get(id);
      return row && decode(model, row);
    },
    insert: (model, row) => {
      const names = Object.keys(row).filter((name) => row[name] !== null && row[name] !== undefined);
      const places = names.map(() => '?').join();
      const sql = `INSERT INTO "${model}" (${names.map((name) => `"${name}"`).join()}) VALUES (${places})`;
      const values = names.map((name) => encode(row[name]));
      return Number(refusing(() => prepare(sql).run(...values)).lastInsertRowid);
    },
    change: (model, id, patch) => {
      const names = Object.keys(patch);
      if (names.length === 0) return;
      const sql = `UPDATE "${model}" SET ${names.map((name) => `"${name}" = ?`).join()} WHERE id = ?`;
      refusing(() => prepare(sql).run(...names.map((name) => encode(patch[name])), id));
    },
    remove: (model, id) => void prepare(`DELETE FROM "${model}" WHERE id = ?`).run(id),
    close: () => db.close(),
  };
}

function columns(model: Model): string {
  return model.fields
    .filter(({ type }) => type !== 'lines')
    .map((field) => {
      if (field.name === 'id') return 'id INTEGER PRIMARY KEY';
      const to = field.type === 'int' && !field.readonly ? linkOf(model, field) : undefined;
      return `"${field.name}" ${KINDS[field.type] ?? ''}${to === undefined ? '' : ` REFERENCES "${to}" (id)`}`;
    })
    .join(', ');
}

function refusing<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof Error && /constraint failed/.test(error.message)) throw new Conflict(error.message);
    throw error;
  }
}

function encode(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'string' || typeof value === 'number') return value;
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function decode(model: string, row: Record<string, SQLOutputValue>): Row {
  const fields = MODELS.get(model)?.fields ?? [];
  return Object.fromEntries(
    fields.flatMap(({ name, type }) => {
      const value = row[name] ?? null;
      if (value === null) return [];
      return [[name, AS_JSON.includes(type) && typeof value === 'string' ? JSON.parse(value) : value]];
    }),
  );
}
