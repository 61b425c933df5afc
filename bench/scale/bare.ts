/**
 * The server that the others are compared with: node:http over a Map of texts, without checks. It returns the same bodies
 * as the mock. Its filtered page looks at all records.
 *
 *   node bench/scale/bare.ts PORT RECORDS.json
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

type Warehouse = { readonly id: number; readonly name: string; readonly comments: string };

const PAGE = 20;
const [port, file = ''] = process.argv.slice(2);
const { warehouse }: { warehouse: readonly Warehouse[] } = JSON.parse(readFileSync(file, 'utf8'));
const stored = new Map(warehouse.map((record) => [record.id, complete(record)]));
let last = warehouse.length;

createServer(async (request, response) => {
  const { method, url = '' } = request;
  const id = Number(/\/(\d+)$/.exec(url)?.[1]);
  const body = method === 'POST' ? write(id || ++last, await text(request)) : read(method, id, url);
  response.writeHead(method === 'POST' && !id ? 201 : 200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}).listen(Number(port), '127.0.0.1');

function write(id: number, sent: string): string {
  const body = complete({ id, ...JSON.parse(sent) });
  stored.set(id, body);
  return body;
}

/** Writes a record with the fields that the mock adds. */
function complete({ id, ...sent }: Warehouse): string {
  const now = new Date().toISOString();
  return JSON.stringify({
    id,
    created: now,
    createUser: 1,
    updated: now,
    updateUser: 1,
    deleted: false,
    ...sent,
  });
}

function read(method: string | undefined, id: number, url: string): string {
  if (!id) return `[${(url.includes('sort=') ? page() : stored.values().take(PAGE).toArray()).join(',')}]`;
  const body = stored.get(id) ?? '{}';
  if (method === 'DELETE') stored.delete(id);
  return body;
}

function page(): string[] {
  const found = stored
    .values()
    .filter((one) => one.includes('"comments":"s7"'))
    .map((one): Warehouse => JSON.parse(one))
    .toArray();
  const sorted = found.sort((one, other) => (one.name < other.name ? 1 : -1));
  return sorted.slice(0, PAGE).map((one) => JSON.stringify(one));
}
