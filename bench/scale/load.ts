import { Agent, request } from 'node:http';
import { type Asked, type Column, requestsOf } from './requests.ts';
import type { Server } from './server.ts';

const CONNECTIONS = 10;
/**
 * Seconds that one measurement is meant to take: so short that what else the machine does falls on two in a row alike.
 */
const LONG = 0.25;
/** Seconds that a server is asked for before it is measured, by when the code that is run often is compiled. */
const WARM = 1.5;
const MOST = 5000;
const LEAST = 10;

/** Requests a second of a column, each replica taking its share. Throws where one is refused. */
export async function measure(server: Server, column: Column, amount: number): Promise<number> {
  const { contestant, urls } = server;
  const ids = column === 'delete' ? await makeRecords(server, amount) : [];
  const next = requestsOf(column, contestant.paths, ids);
  const { fetch } = server;
  if (fetch) return amount / (await askInProcess(fetch, next, amount));
  const share = Math.ceil(amount / urls.length);
  const started = performance.now();
  const lasts = await Promise.all(
    urls.map((url, index) => ask(url, next, Math.min(share, amount - share * index))),
  );
  return amount / ((Math.max(...lasts) - started) / 1000);
}

/** Warms a server up, and says how many requests take about a quarter of a second. */
export async function calibrate(server: Server, column: Column): Promise<number> {
  let amount = LEAST;
  // The first write to many records copies where they stand, once.
  await measure(server, column, amount);
  for (const end = performance.now() + WARM * 1000; performance.now() < end; ) {
    const rate = await measure(server, column, amount);
    amount = Math.round(Math.min(MOST, Math.max(LEAST, rate * LONG)));
  }
  return amount;
}

/** Sends requests over ten connections that are kept. Returns when the last response ended. */
async function ask(url: string, next: () => Asked, amount: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let left = amount;
  const work = async () => {
    while (left-- > 0) await sendOne(agent, url, next());
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  agent.destroy();
  return performance.now();
}

function sendOne(agent: Agent, url: string, { body, headers, method, path }: Asked): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(url + path, { agent, method, ...(headers && { headers }) }, (response) => {
      const { statusCode = 0 } = response;
      if (statusCode >= 300) reject(new Error(`${method} ${path} was refused with ${statusCode}`));
      response.resume().on('end', resolve).on('error', reject);
    });
    asked.on('error', reject).end(body);
  });
}

/** Returns the seconds for a number of requests, with the same concurrency as over sockets. */
async function askInProcess(
  call: (request: Request) => Promise<Response>,
  next: () => Asked,
  amount: number,
): Promise<number> {
  let left = amount;
  const started = performance.now();
  const work = async () => {
    while (left-- > 0) {
      const answer = await call(toRequest('http://127.0.0.1', next()));
      if (!answer.ok) throw new Error(`a request was refused with ${answer.status}`);
      await answer.text();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return (performance.now() - started) / 1000;
}

function toRequest(url: string, { path, ...init }: Asked): Request {
  return new Request(url + path, init as RequestInit);
}

/** The ids of records that were made to be deleted. */
async function makeRecords(
  { contestant, fetch: call = fetch, urls: [url = ''] }: Server,
  amount: number,
): Promise<unknown[]> {
  const create = requestsOf('create', contestant.paths, []);
  const ids: unknown[] = [];
  const work = async () => {
    while (ids.length < amount) {
      const index = ids.push(undefined) - 1;
      const answer = await call(toRequest(url, create()));
      ids[index] = ((await answer.json()) as { id: unknown }).id;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return ids;
}
