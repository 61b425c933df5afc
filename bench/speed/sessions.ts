/**
 * Measures sessions: the time to create one, its memory before the first write, and 200 concurrent clients over sockets,
 * each in a separate session, none of which may see a record of another.
 *
 *   node --expose-gc bench/speed/sessions.ts
 */
import { createMock } from '../../mock/mock.ts';

const MANY = 1000;
const CLIENTS = 200;
const ROUNDS = 10;

await using mock = await createMock({ fixtures: 'demo', maxSessions: MANY + CLIENTS });
await touch('warm');
const before = heap();
const started = performance.now();
for (let index = 0; index < MANY; index++) await touch(`idle-${index}`);
const micros = ((performance.now() - started) * 1000) / MANY;
const kilobytes = (heap() - before) / 1024 / MANY;
print(
  `session          ${micros.toFixed(0)} µs to make and ask for its time, ${kilobytes.toFixed(1)} kB until it writes`,
);

const { url } = await mock.listen();
const loaded = performance.now();
const seen = await Promise.all(Array.from({ length: CLIENTS }, (_, index) => work(`client-${index}`)));
const seconds = (performance.now() - loaded) / 1000;
const leaks = seen.flat().length;
const requests = CLIENTS * ROUNDS * 2;
print(
  `${CLIENTS} at once      ${(requests / seconds).toFixed(0)} requests a second, ${leaks} leaks, ${memory()}`,
);
if (leaks > 0) throw new Error(`a session saw records of others: ${seen.flat().slice(0, 3).join(', ')}`);

/** The least that a session is made by. */
async function touch(name: string): Promise<void> {
  await mock.session(name).clock.now();
}

/** Makes records and lists them; gives the names of those that others made. */
async function work(name: string): Promise<string[]> {
  const address = `${url}/__mock/sessions/${name}/api/model/warehouse`;
  const foreign: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const made = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: `${name} ${round}` }),
    });
    if (made.status !== 201) throw new Error(`a create was answered with ${made.status}`);
    await made.arrayBuffer();
    const list = (await (await fetch(address)).json()) as { name: string }[];
    const own = list.filter((record) => record.name.startsWith(`${name} `));
    if (own.length !== round + 1) foreign.push(`${name} lacks ${round + 1 - own.length}`);
    foreign.push(
      ...list
        .map((record) => record.name)
        .filter((other) => /^client-\d+ /.test(other) && !other.startsWith(`${name} `)),
    );
  }
  return foreign;
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function memory(): string {
  const held = (heap() - before) / 1024 / 1024;
  return `${held.toFixed(0)} MiB more than at the start, ${(process.memoryUsage().rss / 1024 / 1024).toFixed(0)} MiB in all`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
