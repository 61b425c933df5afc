import type pg from 'pg';
import { type Replicas, StoreAway } from '../store.ts';
import type { Pools } from './pools.ts';
import { SCHEMA } from './schema.ts';

const PAUSE = 250;

const LONGEST_PAUSE = 5000;

/** Milliseconds to wait for the answers of busy replicas. */
const TIMEOUT = 5000;
const HOUR = 3600;

/**
 * Replicas write questions to a table, and NOTIFY announces them. A replica exists while its LISTEN connection does.
 */
export async function openPeers(
  pools: Pools,
  replica: string,
): Promise<Pick<Replicas, 'number' | 'ask' | 'answer'> & { close(): Promise<void> }> {
  const waiting = new Map<string, { readonly missing: Set<string>; readonly resolve: () => void }>();
  let reply: (question: unknown) => Promise<unknown> = async () => null;
  let missed = () => {};
  await pools.reads.query(
    `delete from ${SCHEMA}.question where asked < clock_timestamp() - interval '${HOUR} seconds'`,
  );
  await pools.reads.query(`delete from ${SCHEMA}.answer a
    where not exists (select from ${SCHEMA}.question q where q.id = a.question)`);
  const listener = await createListener(pools, replica, onMessage, () => missed());
  const [own] = await query(`select nextval('${SCHEMA}.replica_numbers') as number`, []);
  return {
    number: Number(own?.number),
    ask,
    answer: (how, whenMissed) => {
      reply = how;
      missed = whenMissed;
    },
    close: listener.close,
  };

  function onMessage(text: string): void {
    const [kind, id = '', from = ''] = text.split(' ');
    if (kind === 'question' && from !== replica) void answerQuestion(id);
    if (kind === 'answer') settle(id, from);
  }

  function settle(id: string, from: string): void {
    const asked = waiting.get(id);
    asked?.missing.delete(from);
    if (asked?.missing.size === 0) asked.resolve();
  }

  async function answerQuestion(id: string): Promise<void> {
    try {
      const { rows } = await pools.reads.query(`select body from ${SCHEMA}.question where id = $1`, [id]);
      if (!rows[0]) return;
      const body = JSON.stringify((await reply(JSON.parse(rows[0].body))) ?? null);
      await pools.reads.query(
        `with own as (insert into ${SCHEMA}.answer (question, replica, body) values ($1, $2, $3))
         select pg_notify('${SCHEMA}', 'answer ' || $1::bigint || ' ' || $2)`,
        [id, replica, body],
      );
    } catch {
      // The replica that asked notices the missing answer.
    }
  }

  async function ask(question: object): Promise<readonly unknown[]> {
    const others = await findOthers();
    if (others.length === 0) return [];
    const body = JSON.stringify(question);
    const made = await query(`insert into ${SCHEMA}.question (body) values ($1) returning id`, [body]);
    const id = String(made[0]?.id);
    const missing = new Set(others);
    let timer: NodeJS.Timeout | undefined;
    const answered = new Promise<void>((resolve) => {
      waiting.set(id, { missing, resolve });
      timer = setTimeout(resolve, TIMEOUT);
    });
    try {
      await query(`select pg_notify('${SCHEMA}', $1)`, [`question ${id} ${replica}`]);
      await answered;
      const rows = await query(`select body from ${SCHEMA}.answer where question = $1`, [id]);
      // A replica that has ended does not respond.
      const alive = missing.size > 0 ? await findOthers() : [];
      if (alive.some((one) => missing.has(one)))
        throw new StoreAway(
          `${missing.size} of ${others.length} other replicas did not respond within ${TIMEOUT} ms. Send the request again.`,
        );
      return rows.map((row) => JSON.parse(String(row.body)));
    } finally {
      clearTimeout(timer);
      waiting.delete(id);
      await query(`delete from ${SCHEMA}.question where id = $1`, [id]);
      await query(`delete from ${SCHEMA}.answer where question = $1`, [id]);
    }
  }

  /** Releases the connection after each query, because the other replicas can need one to answer. */
  async function query(text: string, values: unknown[]): Promise<readonly Record<string, unknown>[]> {
    return (await pools.reads.query(text, values)).rows;
  }

  async function findOthers(): Promise<string[]> {
    const { rows } = await pools.reads.query({
      name: 'others',
      text: `select substr(application_name, length($1) + 1) as replica from pg_stat_activity
        where datname = current_database() and starts_with(application_name, $1)`,
      values: [pools.listens('')],
    });
    return [...new Set(rows.map((row) => String(row.replica)))].filter((one) => one !== replica);
  }
}

/** Listens on a separate connection, and opens a new one when it is lost, until `close`. */
async function createListener(
  pools: Pools,
  replica: string,
  onMessage: (text: string) => void,
  /** Called after an interruption, when messages can be missing. */
  onGap: () => void,
) {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let client = await connect();
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await client.end().catch(() => undefined);
    },
  };

  async function connect(): Promise<pg.Client> {
    const made = pools.client(pools.listens(replica));
    let isUp = false;
    made.on('notification', ({ payload = '' }) => onMessage(payload));
    made.on('error', () => undefined);
    made.on('end', () => {
      if (isUp && !isClosed) again(PAUSE);
    });
    try {
      await made.connect();
      await made.query(`listen ${SCHEMA}`);
      isUp = true;
      return made;
    } catch (error) {
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
