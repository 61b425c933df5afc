/**
 * The server that the mock with PostgreSQL is compared with: node:http and the driver, one statement per request, without
 * checks. It counts the records of a page only if the page is filtered, because counting all takes most of the time.
 *
 *   node bench/scale/sql.ts PORT RECORDS.json postgres://…
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Pool } from 'pg';

/** The fields that the mock adds. */
const ADDED = '{"created": "2025-10-22T00:00:00Z", "createUser": 1, "updateUser": 1, "deleted": false}';
const [port, file = '', connectionString] = process.argv.slice(2);
const pool = new Pool({ connectionString });
await pool.query('create table warehouse (id bigserial primary key, data jsonb not null)');
await pool.query(
  `insert into warehouse (data) select value || '${ADDED}' from jsonb_array_elements($1::jsonb -> 'warehouse')`,
  [readFileSync(file, 'utf8')],
);
await pool.query('analyze warehouse');

createServer(async (request, response) => {
  const { method, url = '' } = request;
  const id = /\/(\d+)$/.exec(url)?.[1];
  const found = method === 'POST' ? await write(id, await text(request)) : await read(id, url);
  const body = JSON.stringify(found);
  response.writeHead(method === 'POST' && !id ? 201 : 200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}).listen(Number(port), '127.0.0.1');

async function write(id: string | undefined, sent: string): Promise<unknown> {
  const insert = `insert into warehouse (data) values ($1::jsonb || '${ADDED}') returning id, data`;
  const update = 'update warehouse set data = data || $1 where id = $2 returning id, data';
  return (await pool.query(id ? update : insert, id ? [sent, id] : [sent])).rows[0];
}

async function read(id: string | undefined, url: string): Promise<unknown> {
  if (id) return (await pool.query('select data from warehouse where id = $1', [id])).rows[0]?.data;
  const page = url.includes('sort=')
    ? `select data, count(*) over () from warehouse where data ->> 'comments' = 's7'
        order by data ->> 'name' collate "C" desc, id limit 20`
    : 'select data from warehouse order by id limit 20';
  return (await pool.query(page)).rows.map(({ data }) => data);
}
