import { expect, test } from 'vitest';
import { FEW_MODELS } from '../testing/mocks/mocks.ts';
import { useDirectory } from '../testing/temporary-directory.ts';
import { createMock, type Mock, type MockOptions } from './mock.ts';
import { carryOver, createReloading } from './reloading.ts';

const directory = useDirectory();
const FIXTURES = { warehouse: [{ id: 4, name: 'first' }] };
const OPTIONS = { ...FEW_MODELS, fixtures: FIXTURES };
const start = (more: MockOptions = {}) =>
  createMock({ ...OPTIONS, data: directory.path('mock.db'), ...more });
const names = async (mock: Pick<Mock, 'records'>) =>
  (await mock.records<{ name: string }>('warehouse').list()).records.map(({ id, name }) => `${id} ${name}`);

test('records, sessions, and snapshots survive a restart, unlike the clock, faults, and request log', async () => {
  const first = await start();
  expect([first.isKept, first.counts.records]).toEqual([false, 1]);
  await first.records('warehouse').create({ name: 'second' });
  await first.snapshot('both');
  await first.records('warehouse').delete(4);
  await first.session('a').records('warehouse').create({ name: 'of a' });
  await first.session('b').restore('both');
  await first.clock.advance(3_600_000);
  await first.fault({ status: 503 });
  await first.close();

  const next = await start({ fixtures: { warehouse: [{ id: 9, name: 'not read' }] } });
  expect([next.isKept, next.counts.records, next.filled]).toEqual([true, 2, ['warehouse']]);
  expect(await names(next)).toEqual(['5 second']);
  expect(await names(next.session('a'))).toEqual(['4 first', '5 of a']);
  expect(await names(next.session('b'))).toEqual(['4 first', '5 second']);
  expect(await next.sessions()).toEqual(['default', 'a', 'b']);
  expect([await next.faults(), await next.count()]).toEqual([[], 0]);
  expect(Math.abs((await next.clock.now()).getTime() - Date.now())).toBeLessThan(60_000);
  expect((await next.records('warehouse').create({ name: 'third' })).id).toBe(6);
  await next.restore('both');
  expect(await names(next)).toEqual(['4 first', '5 second']);
  await next.reset();
  expect(await names(next)).toEqual(['4 first']);
  const fork = await next.fork();
  await next.records('warehouse').update(4, { name: 'changed' });
  expect(await names(fork)).toEqual(['4 first']);
  await next.close();
});

test('a reset of a session restores the snapshot it was created from, even after a restart', async () => {
  const first = await start();
  await first.records('warehouse').create({ name: 'second' });
  await first.snapshot('both');
  const send = (mock: Mock, method: string, path: string, body?: object) =>
    mock.fetch(
      new Request(`http://mock.invalid/__mock${path}`, {
        method,
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      }),
    );
  expect((await send(first, 'POST', '/sessions', { name: 'a', from: 'both' })).status).toBe(201);
  await first.close();
  const next = await start();
  await next.session('a').records('warehouse').delete(4);
  await next.session('a').reset();
  expect(await names(next.session('a'))).toEqual(['4 first', '5 second']);
  expect((await send(next, 'POST', '/sessions', { name: 'a' })).status).toBe(409);
  expect((await send(next, 'DELETE', '/sessions/a')).status).toBe(204);
  await next.close();
  const last = await start();
  expect(await last.sessions()).toEqual(['default']);
  await last.close();
});

test('invalid fixtures are rejected, and the next start fills the file', async () => {
  await expect(start({ fixtures: { warehouse: [{ id: 1 }] } })).rejects.toThrow('name is required');
  const mock = await start();
  expect([mock.isKept, await names(mock)]).toEqual([false, ['4 first']]);
  await mock.close();
});

test('a delayed response ends when the client disconnects, and its write is not stored', async () => {
  const mock = await start();
  const server = await mock.listen();
  const id = await mock.fault({ match: { method: 'POST' }, delay: 600_000 });
  const stop = new AbortController();
  const sent = fetch(`${server.url}/api/model/warehouse`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'late' }),
    signal: stop.signal,
  }).catch((error: Error) => error);
  const hits = async () => (await mock.faults()).find((fault) => fault.id === id)?.hits;
  await expect.poll(hits).toBe(1);
  stop.abort();
  expect(await sent).toBeInstanceOf(Error);
  await expect.poll(async () => (await mock.requests()).length).toBe(1);
  expect(await names(mock)).toEqual(['4 first']);
  await mock.close();
});

test('a record that is created while the mock reloads is kept', async () => {
  const first = await createMock({ requestLog: 0 });
  const { reload, served } = createReloading(first);
  const carried = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  reload(async (old) => {
    const next = await createMock({ requestLog: 0 });
    await carryOver(old, next);
    carried.resolve();
    await end.promise;
    return next;
  });
  await carried.promise;
  const ignore = () => {};
  const headers = { 'content-type': 'application/json' };
  const body = Buffer.from('{"name":"meanwhile"}');
  const sent = served.handle({ method: 'POST', target: '/api/model/brand', headers, body }, ignore);
  end.resolve();
  expect(await sent).toMatchObject({ status: 201 });
  const list = { method: 'GET', target: '/api/model/brand', headers: {}, body: undefined };
  const shown = await served.handle(list, ignore);
  expect(shown).toMatchObject({ body: expect.stringContaining('"meanwhile"') });
});

test('probes get a response while the mock is replaced', async () => {
  const { reload, served } = createReloading(await createMock());
  const end = Promise.withResolvers<void>();
  const replaced = reload(async (old) => {
    await end.promise;
    return old;
  });
  for (const target of ['/__mock/live', '/__mock/ready']) {
    const asked = { method: 'GET', target, headers: {}, body: undefined };
    expect(await served.handle(asked, () => {})).toMatchObject({ status: 200 });
  }
  end.resolve();
  await replaced;
});
