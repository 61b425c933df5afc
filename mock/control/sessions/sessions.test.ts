import { afterAll, describe, expect, test } from 'vitest';
import { type StartedMock, serveMock } from '../../../testing/mocks/control.ts';
import { FEW_MODELS } from '../../../testing/mocks/mocks.ts';
import { NO_POSTGRES, newDatabase } from '../../../testing/stores/postgres.ts';
import { useDirectory } from '../../../testing/temporary-directory.ts';
import { expectTranscript } from '../../../testing/transcripts/transcripts.ts';

const started = await serveMock({ maxSessions: 250 });
afterAll(() => started.mock.close());

expectTranscript(import.meta.dirname, 'sessions');

const API = '/api/model';
const as = (session: string) => ({ 'x-mock-session': session });

describe('a session', () => {
  test.each(['', '.', '..', 'a b', 'a/b', '%C3%A9', 'x'.repeat(65)])(
    "can't have the name %j",
    async (name) => {
      const { body, status } = await started.ask('GET', `${API}/brand`, undefined, as(name));
      expect([status, body.detail]).toEqual([
        400,
        expect.stringContaining('Use 1 to 64 of these characters'),
      ]);
      expect(() => started.mock.session(name)).toThrow('Use 1 to 64 of these characters');
    },
  );

  test('keeps its records for the next request, even if it takes longer to open than the idle time', async () => {
    await using short = await serveMock({ sessionIdle: 0.001 });
    const made = await short.ask('POST', `${API}/warehouse`, { name: 'one' }, as('a'));
    expect(made.status).toBe(201);
    expect(await short.ask('GET', `${API}/warehouse/${made.body.id}`, undefined, as('a'))).toMatchObject({
      status: 200,
      body: { name: 'one' },
    });
  });
});

const brand = (name: string) => ({ brand: [{ id: 1, name }] });
const LIST = '/api/model/warehouse';
const base = { ...FEW_MODELS, fixtures: { warehouse: [{ id: 1, name: 'Central' }] } };
const { path } = useDirectory();
const use = ({ ask }: StartedMock, session: string) => ask('GET', LIST, undefined, as(session));
const write = ({ ask }: StartedMock, session: string) => ask('POST', LIST, { name: session }, as(session));
const namesOf = async ({ mock }: StartedMock) => (await mock.sessions()).toSorted();

const PLACES = ['in memory', 'in a file', ...(NO_POSTGRES ? [] : ['in PostgreSQL'])] as const;

describe.each(['in memory', 'in a file'])('a snapshot %s', (place) => {
  const serve = () =>
    serveMock({
      fixtures: brand('start'),
      ...(place === 'in a file' && { data: path('mock.db') }),
    });

  test('belongs to the session that saved it', async () => {
    await using started = await serve();
    const [one, two] = [started.mock.session('one'), started.mock.session('two')];
    await one.setState(brand('one'));
    await two.setState(brand('two'));
    for (const session of [one, two]) await session.snapshot('seeded');
    for (const session of [one, two]) await session.reset();
    for (const session of [one, two]) await session.restore('seeded');
    expect(await one.state(['brand'])).toMatchObject(brand('one'));
    expect(await two.state(['brand'])).toMatchObject(brand('two'));
    await expect(started.mock.session('three').restore('seeded')).rejects.toThrow(
      'Unknown snapshot "seeded". Save it first.',
    );
    const listed = async (session: string) =>
      (await started.ask('GET', '/__mock/snapshots', undefined, as(session))).body.snapshots;
    expect([await listed('one'), await listed('three')]).toEqual([['seeded'], []]);
    const heir = { name: 'heir', from: 'seeded' };
    expect((await started.ask('POST', '/__mock/sessions', heir)).status).toBe(404);
    expect((await started.ask('POST', '/__mock/sessions', heir, as('one'))).status).toBe(201);
    expect(await started.mock.session('heir').state(['brand'])).toMatchObject(brand('one'));
    const { sessions } = (await started.ask('GET', '/__mock/sessions')).body;
    expect(sessions).toContainEqual(heir);
    expect((await started.ask('DELETE', '/__mock/snapshots/seeded', undefined, as('one'))).status).toBe(204);
    expect([await listed('one'), await listed('two')]).toEqual([[], ['seeded']]);
  });

  test('can be used by all sessions if it is shared or belongs to the default session', async () => {
    await using started = await serve();
    const one = started.mock.session('one');
    await one.setState(brand('one'));
    await one.snapshot('shared', { shared: true });
    await started.mock.snapshot('first');
    const two = started.mock.session('two');
    await two.restore('shared');
    expect(await two.state(['brand'])).toMatchObject(brand('one'));
    await two.restore('first');
    expect(await two.state(['brand'])).toMatchObject(brand('start'));
    await one.delete();
    await two.restore('shared');
  });

  test('is deleted with its session', async () => {
    await using started = await serve();
    const one = started.mock.session('one');
    await one.setState(brand('one'));
    await one.snapshot('seeded');
    await one.delete();
    expect(await started.mock.sessions()).toEqual(['default']);
    expect(await one.state(['brand'])).toMatchObject(brand('start'));
    await expect(one.restore('seeded')).rejects.toThrow('Save it first');
    await expect(started.mock.delete()).rejects.toThrow('Reset it instead');
  });
});

describe.each(PLACES)('a session %s', (place) => {
  let count = 0;
  const dataOf = async () => {
    if (place === 'in memory') return undefined;
    return place === 'in a file' ? path(`${++count}.db`) : newDatabase();
  };
  const start = async (maxSessions: number) => serveMock({ ...base, maxSessions, data: await dataOf() });

  test('with writes stays, and the least recently used one without writes is dropped', async () => {
    await using served = await start(3);
    await write(served, 'written');
    for (const name of ['b', 'c', 'd', 'e']) expect((await use(served, name)).status).toBe(200);
    expect(await namesOf(served)).toEqual(['d', 'default', 'e', 'written']);
    expect((await use(served, 'written')).body).toHaveLength(2);
  });

  test('is rejected with 429 and a hint if all other sessions have writes', async () => {
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

  test('can be dropped after a reset, and stays if it was created from a snapshot', async () => {
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

test('a session with writes is dropped after the idle time', async () => {
  await using short = await serveMock({ ...base, sessionIdle: 1 });
  await write(short, 'a');
  await expect.poll(() => namesOf(short), { timeout: 4000 }).toEqual(['default']);
});

test('sessions with writes stay in a file after a restart with a lower limit', async () => {
  const data = path('again.db');
  const before = await serveMock({ ...base, data });
  for (const name of ['a', 'b']) await write(before, name);
  await use(before, 'unwritten');
  await before.mock.close();
  await using after = await serveMock({ ...base, data, maxSessions: 2 });
  expect((await use(after, 'c')).status).toBe(429);
  for (const name of ['a', 'b']) expect((await use(after, name)).body).toHaveLength(2);
});
