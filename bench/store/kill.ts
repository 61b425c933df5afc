import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Started, start, untilReady } from '../../testing/command.ts';
import { createRandom } from '../../testing/services/draw.ts';
import { type AnsweredOrder, createOrders, type Orders, type StoredOrders } from './orders.ts';

export type KillOptions = {
  /** How many times the process is killed. */
  readonly times: number;
  readonly seed: number;
  /** Returns an empty database for the mock. By default, a new file. */
  readonly place?: (number: number) => string | Promise<string>;
  /** More flags of `record-model mock`. */
  readonly flags?: readonly string[];
  /** The signal; after SIGTERM every request that was taken has to be answered. */
  readonly signal?: 'SIGKILL' | 'SIGTERM';
  readonly say?: (line: string) => void;
};

export type Killed = {
  readonly times: number;
  /** Writes that were answered. */
  readonly acknowledged: number;
  /** How the last requests ended, whose answers never came. */
  readonly unanswered: Readonly<Record<NoAnswer, number>>;
  readonly problems: readonly string[];
};

/** The number of concurrent clients. */
const CLIENTS = 8;
/** The process ends after at most this number of writes, and at most this many milliseconds later. */
const MOST = { writes: 150, ms: 4 };
/** A new place now and then: every state is read as a whole. */
const PLACE_LASTS = 20;

/**
 * Starts a mock on a file or a database, writes stock orders with lines from several concurrent clients, ends the process
 * at a random moment, starts it again on the same place, and compares the records with the acknowledged writes.
 */
export async function killUnderLoad({
  flags = [],
  place = (number) => `${number}.db`,
  say,
  seed,
  signal = 'SIGKILL',
  times,
}: KillOptions): Promise<Killed> {
  const random = createRandom(seed);
  const directory = mkdtempSync(join(tmpdir(), 'kill-'));
  const problems: string[] = [];
  let [acknowledged, orders] = [0, createOrders()];
  const unanswered = { refused: 0, 'new connection broke': 0, 'used connection broke': 0 };
  let data = await place(0);
  let mock = await startMock();
  try {
    for (let time = 1; time <= times; time++) {
      const before = orders.acknowledged;
      const last = before + Math.ceil(random() * MOST.writes);
      const { child, ended, url } = mock;
      const kill = () => setTimeout(() => child.kill(signal), random() * MOST.ms);
      const told = () => orders.acknowledged === last && kill();
      const ends = await Promise.all(
        Array.from({ length: CLIENTS }, () => write(url, { orders, random, told })),
      );
      await ended;
      for (const end of ends) unanswered[end] += 1;
      // After SIGTERM, the mock answers the accepted requests, with `Connection: close`.
      if (signal === 'SIGTERM' && ends.includes('used connection broke'))
        problems.push(`end ${time}: a request on a connection that was in use was not answered`);
      acknowledged += orders.acknowledged - before;
      mock = await startMock();
      const state = await fetch(`${mock.url}/__mock/state?models=stockOrder,stockOrderLine`);
      const found = orders.compare((await state.json()) as StoredOrders);
      problems.push(...found.map((problem) => `kill ${time}: ${problem}`));
      say?.(`${time} of ${times}: ${acknowledged} writes acknowledged, ${problems.length} problems`);
      if (time % PLACE_LASTS > 0 || time === times) continue;
      await end(mock);
      orders = createOrders();
      data = await place(time / PLACE_LASTS);
      mock = await startMock();
    }
  } finally {
    await end(mock);
    rmSync(directory, { recursive: true });
  }
  return { times, acknowledged, unanswered, problems };

  async function startMock(): Promise<Started & { readonly url: string }> {
    const args = ['mock', '--port', '0', '--fixtures', 'none', '--quiet', '--data', data, ...flags];
    const env = { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compiled') };
    const started = start(directory, args, env);
    return { ...started, ...(await untilReady(started)) };
  }
}

async function end({ child, ended }: Started): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

type Load = {
  readonly orders: Orders;
  readonly random: () => number;
  /** Called after each write that was acknowledged. */
  readonly told: () => void;
};

/** One client: writes until the service is gone. Says how its last request ended. */
async function write(url: string, { orders, random, told }: Load): Promise<NoAnswer> {
  const client = createClient(url);
  for (;;) {
    const { ids } = orders;
    const id = random() < 0.5 ? undefined : ids[Math.floor(random() * ids.length)];
    const deletes = id !== undefined && random() < 0.2;
    const { body, key } = orders.begin(deletes ? 'none' : 1 + Math.floor(random() * 4), id);
    const path = `/api/model/stockOrder${id === undefined ? '' : `/${id}`}`;
    const answer = await client.ask(deletes ? 'DELETE' : 'POST', path, body);
    if ('noAnswer' in answer) {
      client.close();
      return answer.noAnswer;
    }
    orders.end(key, deletes ? { id: Number(id), lines: [] } : (answer.body as AnsweredOrder));
    told();
  }
}

/** Why there is no response: the server no longer listens, or a new or used connection broke. */
type NoAnswer = 'refused' | 'new connection broke' | 'used connection broke';

type Asked = { readonly body: unknown } | { readonly noAnswer: NoAnswer };

type Client = {
  /** Asks on a connection that is kept. Rejects for an answer that is not good. */
  ask(method: string, path: string, body?: object): Promise<Asked>;
  close(): void;
};

function createClient(url: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return { ask, close: () => agent.destroy() };

  function ask(method: string, path: string, body?: object): Promise<Asked> {
    const text = body && JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const headers = text
        ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
        : {};
      const asking = request(url + path, { method, agent, headers });
      const broken = (error: NodeJS.ErrnoException) =>
        resolve({
          noAnswer:
            error.code === 'ECONNREFUSED'
              ? 'refused'
              : asking.reusedSocket
                ? 'used connection broke'
                : 'new connection broke',
        });
      asking.on('error', broken).on('response', (answer) => {
        let read = '';
        answer
          .setEncoding('utf8')
          .on('data', (chunk) => (read += chunk))
          .on('error', broken);
        answer.on('end', () => {
          if (!answer.complete) return;
          const { statusCode = 0 } = answer;
          if (statusCode >= 200 && statusCode < 300) resolve({ body: JSON.parse(read) });
          else reject(new Error(`${method} ${path} was answered with ${statusCode}: ${read}`));
        });
      });
      asking.end(text);
    });
  }
}
