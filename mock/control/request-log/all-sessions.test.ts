/** The request logs of all sessions: listed, counted, awaited, and streamed together. */
import { describe, expect, test } from 'vitest';
import { serveMock } from '../../../testing/mocks/control.ts';
import { few, references } from '../../../testing/mocks/mocks.ts';
import { connectMock } from '../../adapters/remote.ts';
import { createMock } from '../../mock.ts';

const LIST = '/api/model/warehouse';
const base = { catalogue: few, references, fixtures: new Map() };
const of = (session: string) => ({ 'x-mock-session': session });

async function serveThree() {
  const started = await serveMock({ ...base, requestLog: 5 });
  for (const session of ['b', 'default', 'a', 'b'])
    await started.ask('GET', LIST, undefined, session === 'default' ? {} : of(session));
  return started;
}

describe('the requests of all sessions', () => {
  test('are listed in their order, each with its session, over HTTP, in the process, and remote', async () => {
    await using started = await serveThree();
    const { requests } = (await started.ask('GET', '/__mock/requests?sessions=all')).body;
    expect(requests?.map(({ session }) => session)).toEqual(['b', 'default', 'a', 'b']);
    const ids = requests?.map(({ id }) => Number(id)) ?? [];
    expect(new Set(ids).size).toBe(4);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    const far = connectMock(started.url).session('a');
    for (const session of [started.mock, started.mock.session('a'), far]) {
      expect(await session.requests({}, { sessions: 'all' })).toEqual(requests);
      expect(await session.count({ operation: 'list' }, { sessions: 'all' })).toBe(4);
    }
    expect(await far.requests()).toEqual(requests?.filter(({ session }) => String(session) === 'a'));
  });

  test('are filtered and limited as a whole', async () => {
    await using started = await serveThree();
    await started.ask('GET', `${LIST}/7`, undefined, of('c'));
    const list = async (query: string) =>
      (await started.ask('GET', `/__mock/requests?sessions=all&${query}`)).body.requests?.map(
        ({ session }) => session,
      );
    expect(await list('status=404')).toEqual(['c']);
    expect(await list('limit=2')).toEqual(['b', 'c']);
    expect(await list('operation=listWarehouse&limit=3')).toEqual(['default', 'a', 'b']);
    expect((await started.ask('GET', '/__mock/requests/count?sessions=all&status=200')).body.count).toBe(4);
  });

  test('are the newest thousand, unless a limit says otherwise', async () => {
    await using mock = await createMock({ ...base, requestLog: 400 });
    for (const session of ['a', 'b', 'c'])
      for (let count = 0; count < 400; count++)
        await mock.session(session).fetch(new Request(`http://mock.invalid${LIST}/${count + 1}`));
    expect(await mock.requests({}, { sessions: 'all' })).toHaveLength(1000);
    expect(await mock.requests({}, { sessions: 'all', limit: 2000 })).toHaveLength(1200);
    expect(await mock.count({}, { sessions: 'all' })).toBe(1200);
  });

  test('end a wait, also in a session that is created later', async () => {
    await using started = await serveThree();
    const waiting = started.mock.waitFor({ operation: 'createWarehouse' }, { count: 2, sessions: 'all' });
    for (const session of ['later', 'b']) await started.ask('POST', LIST, { name: 'a' }, of(session));
    expect(await waiting).toMatchObject([{ session: 'later' }, { session: 'b' }]);
  });

  test.each(['requests', 'events'])('are refused in /%s for another value than all', async (path) => {
    await using started = await serveMock(base);
    const { body, status } = await started.ask('GET', `/__mock/${path}?sessions=some`);
    expect([status, body.detail]).toEqual([422, 'sessions must be one of all, but is "some".']);
  });
});

test('a stream of all sessions has the requests of later ones, and of none twice', async () => {
  await using started = await serveMock({ ...base, requestLog: 0 });
  await started.ask('GET', LIST, undefined, of('before'));
  const { body } = await fetch(`${started.url}/__mock/events?sessions=all`);
  const sessions: string[] = [];
  for (const name of ['before', 'default', 'later'])
    await started.ask('GET', LIST, undefined, name === 'default' ? {} : of(name));
  let text = '';
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString();
    sessions.splice(
      0,
      sessions.length,
      ...[...text.matchAll(/"session":"(\w+)"/g)].map(([, name = '']) => name),
    );
    if (sessions.includes('later')) break;
  }
  expect(sessions).toEqual(['before', 'default', 'later']);
});
