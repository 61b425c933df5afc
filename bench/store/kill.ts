import { mkdtempDisposableSync } from 'node:fs';
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
  readonly say?: (line: string) => void;
};

/** The number of concurrent clients. */
const CLIENTS = 8;
/** The process ends after at most this number of writes, and at most this many milliseconds later. */
const MOST = { writes: 150, ms: 4 };
/** A new place now and then: every state is read as a whole. */
const PLACE_LASTS = 20;

/**
 * Starts a mock on a file or a database, writes stock orders with lines from several concurrent clients, ends the process
 * at a random moment, starts it again on the same place, and compares the records with the acknowledged writes. Returns
 * the number of these, and the differences.
 */
export async function killUnderLoad({
  flags = [],
  place = (number) => `${number}.db`,
  say,
  seed,
  times,
}: KillOptions) {
  const random = createRandom(seed);
  using made = mkdtempDisposableSync(join(tmpdir(), 'kill-'));
  const directory = made.path;
  const problems: string[] = [];
  let [acknowledged, orders] = [0, createOrders()];
  let data = await place(0);
  let mock = await startMock();
  try {
    for (let time = 1; time <= times; time++) {
      const before = orders.acknowledged;
      const last = before + Math.ceil(random() * MOST.writes);
      const { child, ended, url } = mock;
      const kill = () => setTimeout(() => child.kill('SIGKILL'), random() * MOST.ms);
      const told = () => orders.acknowledged === last && kill();
      await Promise.all(Array.from({ length: CLIENTS }, () => write(url, { orders, random, told })));
      await ended;
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
  }
  return { acknowledged, problems };

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

/** One client: writes until the service is gone. */
async function write(url: string, { orders, random, told }: Load): Promise<void> {
  for (;;) {
    const { ids } = orders;
    const id = random() < 0.5 ? undefined : ids[Math.floor(random() * ids.length)];
    const deletes = id !== undefined && random() < 0.2;
    const begun = orders.begin(deletes ? 'none' : 1 + Math.floor(random() * 4), id);
    const path = `/api/model/stockOrder${id === undefined ? '' : `/${id}`}`;
    const answer = await send(deletes ? 'DELETE' : 'POST', url + path, begun.body);
    if (answer === undefined) return;
    orders.end(begun, deletes ? { id: Number(id), lines: [] } : (answer as AnsweredOrder));
    told();
  }
}

/** Returns the body of a response; undefined if the service ends before it is complete. Throws if it is not good. */
async function send(method: string, url: string, body?: object): Promise<unknown> {
  const sent = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(url, { method, ...sent }).catch(() => undefined);
  const text = await answer?.text().catch(() => undefined);
  if (answer === undefined || text === undefined) return undefined;
  if (!answer.ok) throw new Error(`${method} ${url} was answered with ${answer.status}: ${text}`);
  return JSON.parse(text);
}
