/** Which sessions go when another one is created. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedMock, serveMock } from '../../../testing/mocks/control.ts';
import { few, references } from '../../../testing/mocks/mocks.ts';
import { NO_POSTGRES, startPostgres, type TestPostgres } from '../../../testing/stores/postgres.ts';
import { useDirectory } from '../../../testing/temporary-directory.ts';

const LIST = '/api/model/warehouse';
const base = { catalogue: few, references, fixtures: { warehouse: [{ id: 1, name: 'Central' }] } };
const { path } = useDirectory();

const as = (session: string) => ({ 'x-mock-session': session });
const use = ({ ask }: StartedMock, session: string) => ask('GET', LIST, undefined, as(session));
const write = ({ ask }: StartedMock, session: string) => ask('POST', LIST, { name: session }, as(session));
const namesOf = async ({ mock }: StartedMock) => (await mock.sessions()).toSorted();

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  if (!NO_POSTGRES) postgres = await startPostgres();
});
afterAll(() => postgres?.[Symbol.asyncDispose]());

const PLACES = ['in memory', 'in a file', ...(NO_POSTGRES ? [] : ['in PostgreSQL'])] as const;

describe.each(PLACES)('a session %s', (place) => {
  let count = 0;
  const dataOf = async () => {
    if (place === 'in memory') return undefined;
    return place === 'in a file' ? path(`${++count}.db`) : postgres?.database();
  };
  const start = async (maxSessions: number) => serveMock({ ...base, maxSessions, data: await dataOf() });

  test('with writes stays when another one is created; one without goes, the one unused longest first', async () => {
    await using served = await start(3);
    await write(served, 'written');
    for (const name of ['b', 'c', 'd', 'e']) expect((await use(served, name)).status).toBe(200);
    expect(await namesOf(served)).toEqual(['d', 'default', 'e', 'written']);
    expect((await use(served, 'written')).body).toHaveLength(2);
  });

  test('is refused with 429 and the way out when all others have writes', async () => {
    await using served = await start(2);
    for (const name of ['a', 'b']) expect((await write(served, name)).status).toBe(201);
    const refusals = [
      await use(served, 'c'),
      await write(served, 'c'),
      await served.ask('POST', '/__mock/sessions', { name: 'c' }),
      await served.ask('GET', '/__mock/sessions/c/__mock/state'),
    ];
    for (const { body, status } of refusals) {
      expect(status).toBe(429);
      expect(body.detail).toMatch(/2 sessions.*DELETE \/__mock\/sessions\/NAME.*--max-sessions/);
    }
    await expect(served.mock.session('c').state()).rejects.toThrow('--max-sessions');
    for (const name of ['a', 'b']) expect((await use(served, name)).body).toHaveLength(2);
    expect((await served.ask('DELETE', '/__mock/sessions/a')).status).toBe(204);
    expect((await write(served, 'c')).status).toBe(201);
  });

  test('goes again when it was reset, and stays when it began with a snapshot', async () => {
    await using served = await start(2);
    await write(served, 'a');
    await served.mock.session('a').snapshot('kept', { shared: true });
    await served.ask('POST', '/__mock/sessions', { name: 'b', from: 'kept' });
    expect((await use(served, 'c')).status).toBe(429);
    await served.mock.session('a').reset();
    expect((await use(served, 'c')).status).toBe(200);
    expect(await namesOf(served)).toEqual(['b', 'c', 'default']);
  });
});

test('a session with writes goes when nobody used it for long', async () => {
  await using short = await serveMock({ ...base, sessionIdle: 1 });
  await write(short, 'a');
  await expect.poll(() => namesOf(short), { timeout: 4000 }).toEqual(['default']);
});

test('a session with writes stays in the file of a mock that was started again with a lower limit', async () => {
  const data = path('again.db');
  const before = await serveMock({ ...base, data });
  for (const name of ['a', 'b']) await write(before, name);
  await use(before, 'unwritten');
  await before.mock.close();
  await using after = await serveMock({ ...base, data, maxSessions: 2 });
  expect((await use(after, 'c')).status).toBe(429);
  for (const name of ['a', 'b']) expect((await use(after, name)).body).toHaveLength(2);
});

test('a write to a session that goes meanwhile is refused, and not lost', async () => {
  await using served = await serveMock({ ...base, maxSessions: 1, sessionIdle: 3_600_000 });
  const sessions = served.mock.parts.sessions;
  const { records } = await sessions.use('a');
  await use(served, 'b');
  expect(await namesOf(served)).toEqual(['b', 'default']);
  const late = records.transaction((all) => all.put('warehouse', { id: 7, name: 'late' }));
  await expect(late).rejects.toThrow('Send the request again');
});
