import type pg from 'pg';
import { type Replicas, StoreAway } from '../store.ts';
import type { Pools } from './pools.ts';
import { SCHEMA } from './schema.ts';

/** Milliseconds before another try to listen, which doubles with each try. */
const PAUSE = 250;
const LONGEST_PAUSE = 5000;

/** Milliseconds to wait for the answers of busy replicas. */
const TIMEOUT = 5000;

/** Milliseconds between two statements that find out whether the connection for messages still works. */
const HEARTBEAT = 10_000;

/** Removes questions whose replica ended before it could. */
const TIDY = `delete from ${SCHEMA}.question where asked < clock_timestamp() - interval '1 hour'`;

const NOTIFY = `select pg_notify('${SCHEMA}', $1)`;

const OTHERS = `select distinct substr(application_name, length($1) + 1) as replica from pg_stat_activity
  where datname = current_database() and starts_with(application_name, $1) and application_name <> $1 || $2`;

/** Replicas ask each other through a table and NOTIFY. A replica exists while its LISTEN connection does. */
export async function openPeers(
  pools: Pools,
  replica: string,
): Promise<Pick<Replicas, 'ask' | 'answer'> & { close(): Promise<void> }> {
  const waiting = new Map<string, { readonly missing: Set<string>; readonly resolve: () => void }>();
  let follow = async (_: unknown) => {};
  let missed = () => {};
  // Each query uses a connection only for itself, because the other replicas can need one to answer.
  const query = async (text: string, ...values: unknown[]): Promise<readonly Record<string, unknown>[]> =>
    (await pools.reads.query(text, values)).rows;
  const findOthers = async () =>
    (await query(OTHERS, pools.listens(''), replica)).map((row) => String(row.replica));
  await query(TIDY);
  const close = await listen(pools, replica, onMessage, () => missed());
  return {
    ask,
    answer: (how, whenMissed) => {
      follow = how;
      missed = whenMissed;
    },
    close,
  };

  function onMessage(text: string): void {
    const [kind, id = '', from = ''] = text.split(' ');
    // The replica that asked notices a missing answer.
    if (kind === 'question' && from !== replica) answerQuestion(id).catch(() => {});
    const asked = kind === 'answer' ? waiting.get(id) : undefined;
    asked?.missing.delete(from);
    if (asked?.missing.size === 0) asked.resolve();
  }

  async function answerQuestion(id: string): Promise<void> {
    const [question] = await query(`select body from ${SCHEMA}.question where id = $1`, id);
    if (!question) return;
    await follow(JSON.parse(String(question.body)));
    await query(NOTIFY, `answer ${id} ${replica}`);
  }

  async function ask(question: object): Promise<void> {
    const others = await findOthers();
    if (others.length === 0) return;
    const text = `insert into ${SCHEMA}.question (body) values ($1) returning id`;
    const id = String((await query(text, JSON.stringify(question)))[0]?.id);
    const missing = new Set(others);
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    waiting.set(id, { missing, resolve });
    const timer = setTimeout(resolve, TIMEOUT);
    try {
      await query(NOTIFY, `question ${id} ${replica}`);
      await answered;
      // A replica that has ended does not respond.
      const alive = missing.size > 0 ? await findOthers() : [];
      if (alive.some((one) => missing.has(one)))
        throw new StoreAway(
          `${missing.size} of ${others.length} other replicas did not respond within ${TIMEOUT} ms. Send the request again.`,
        );
    } finally {
      clearTimeout(timer);
      waiting.delete(id);
      await query(`delete from ${SCHEMA}.question where id = $1`, id);
    }
  }
}

/** Listens on a separate connection, and opens a new one when it is lost. Returns the function that ends this. */
async function listen(
  pools: Pools,
  replica: string,
  onMessage: (text: string) => void,
  /** Called after an interruption, when messages can be missing. */
  onGap: () => void,
): Promise<() => Promise<void>> {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let client = await connect();
  return async () => {
    isClosed = true;
    clearTimeout(timer);
    await client.end().catch(() => undefined);
  };

  async function connect(): Promise<pg.Client> {
    const made = pools.client(pools.listens(replica));
    let isUp = false;
    const heartbeat = setInterval(() => made.query('select 1').catch(() => made.end()), HEARTBEAT).unref();
    made.on('notification', ({ payload = '' }) => onMessage(payload));
    made.on('end', () => {
      clearInterval(heartbeat);
      if (isUp && !isClosed) again(PAUSE);
    });
    try {
      await made.connect();
      await made.query(`listen ${SCHEMA}`);
      isUp = true;
      return made;
    } catch (error) {
      clearInterval(heartbeat);
      await made.end().catch(() => undefined);
      throw error;
    }
  }

  function again(pause: number): void {
    timer = setTimeout(async () => {
      try {
        client = await connect();
        if (isClosed) await client.end();
        else onGap();
      } catch {
        if (!isClosed) again(Math.min(pause * 2, LONGEST_PAUSE));
      }
    }, pause);
    timer.unref();
  }
}
