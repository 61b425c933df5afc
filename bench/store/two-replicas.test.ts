import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type StartedMock, serveMock } from '../../testing/mocks/control.ts';
import { FEW_MODELS } from '../../testing/mocks/mocks.ts';
import { NO_POSTGRES, query, startPostgres, type TestPostgres } from '../../testing/stores/postgres.ts';

const API = '/api/model';

describe.skipIf(NO_POSTGRES)('two mocks on one database', () => {
  let server: TestPostgres;
  let url = '';
  let one: StartedMock;
  let other: StartedMock;
  const start = () => serveMock({ ...FEW_MODELS, data: url });
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database();
    [one, other] = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    await Promise.all([one.mock.close(), other.mock.close()]);
    await server[Symbol.asyncDispose]();
  });
  beforeEach(() => one.mock.reset());

  const of = (session: string) => ({ 'x-mock-session': session });

  test('forward the same models', async () => {
    const forward = { url: 'http://127.0.0.1:1', models: ['warehouse'] };
    const options = { ...FEW_MODELS, data: url, forward };
    const [near, far] = await Promise.all([serveMock(options), serveMock(options)]);
    try {
      await near.mock.setForward({ models: ['supplier'] });
      expect(await far.mock.forward()).toMatchObject({ models: ['supplier'] });
    } finally {
      await Promise.all([near.mock.close(), far.mock.close()]);
    }
  });

  test('share sessions and snapshots', async () => {
    expect((await one.ask('POST', '/__mock/sessions', { name: 'a' })).status).toBe(201);
    expect((await other.ask('POST', '/__mock/sessions', { name: 'a' })).status).toBe(409);
    await other.ask('POST', `${API}/warehouse`, { name: 'own' }, of('a'));
    await one.mock.session('a').snapshot('one-warehouse', { shared: true });
    expect((await other.ask('GET', '/__mock/snapshots')).body.snapshots).toEqual(['one-warehouse']);
    await other.ask('POST', '/__mock/sessions', { name: 'b', from: 'one-warehouse' });
    expect((await one.ask('GET', '/__mock/sessions')).body.sessions).toEqual([
      { name: 'default' },
      { name: 'a' },
      { name: 'b', from: 'one-warehouse' },
    ]);
    expect(await one.mock.session('b').state(['warehouse'])).toMatchObject({ warehouse: [{ name: 'own' }] });
    // Clients that used the session start with a new one.
    expect((await other.ask('DELETE', '/__mock/sessions/b')).status).toBe(204);
    expect((await one.ask('DELETE', '/__mock/sessions/b')).status).toBe(404);
    expect(await one.mock.session('b').state(['warehouse'])).toEqual({ warehouse: [] });
    for (const name of ['a', 'b']) await one.ask('DELETE', `/__mock/sessions/${name}`);
    await other.ask('DELETE', '/__mock/snapshots/one-warehouse');
    expect((await one.ask('GET', '/__mock/snapshots')).body.snapshots).toEqual([]);
  });

  test('delete sessions that none of them used for long', async () => {
    for (const name of ['kept', 'gone']) await one.mock.session(name).records('warehouse').create({ name });
    await query(url, `update record_model_mock.space set used = used - interval '2 hours'`);
    expect((await other.mock.session('kept').records('warehouse').list()).records).toHaveLength(1);
    await expect.poll(() => other.mock.sessions()).not.toContain('gone');
    expect((await one.mock.session('kept').records('warehouse').list()).records).toHaveLength(1);
    expect((await one.mock.session('gone').records('warehouse').list()).records).toEqual([]);
  });

  test('apply a fault as often as specified, in total', async () => {
    const { id } = (await one.ask('POST', '/__mock/faults', { status: 503, times: 3 })).body;
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const { status } = await (index % 2 ? one : other).ask('GET', `${API}/warehouse`);
        return status;
      }),
    );
    expect(statuses.filter((status) => status === 503)).toHaveLength(3);
    expect((await other.ask('GET', '/__mock/faults')).body.faults).toMatchObject([{ id, hits: 3 }]);
    const later = await one.mock.fault({ status: 503, every: 2, enabled: false });
    expect((await other.ask('GET', `${API}/warehouse`)).status).toBe(200);
    await other.mock.setFault(later, { enabled: true });
    const shared = [];
    for (const each of [one, other, other, one])
      shared.push((await each.ask('GET', `${API}/warehouse`)).status);
    expect(shared).toEqual([200, 503, 200, 503]);
    await one.mock.clearFaults(later);
    expect((await other.ask('DELETE', `/__mock/faults/${id}`)).status).toBe(204);
    expect(await one.mock.faults()).toEqual([]);
  });

  test('share the profile of a session, which a reset restores', async () => {
    await one.ask('PUT', '/__mock/profile', { 'status.created': 200 });
    expect((await other.ask('GET', '/__mock/profile')).body['status.created']).toBe(200);
    expect((await other.ask('POST', `${API}/warehouse`, { name: 'x' })).status).toBe(200);
    await other.ask('POST', '/__mock/reset');
    expect((await one.ask('POST', `${API}/warehouse`, { name: 'x' })).status).toBe(201);
  });

  test('share the clock of a session, which a reset restores', async () => {
    const now = '2030-01-02T03:04:05.000Z';
    await one.ask('PUT', '/__mock/clock', { now, frozen: true });
    expect((await other.ask('GET', '/__mock/clock')).body).toEqual({ now, frozen: true });
    const made = await other.ask('POST', `${API}/warehouse`, { name: 'a' });
    expect(made.body.created).toContain('2030-01-02');
    await other.ask('POST', '/__mock/clock/advance', { ms: 1000 });
    expect((await one.mock.clock.now()).getTime()).toBe(Date.parse(now) + 1000);
    await other.mock.reset();
    expect((await one.ask('GET', '/__mock/clock')).body.frozen).toBe(false);
    expect(await one.mock.state()).toEqual({});
  });

  test('have their own request logs', async () => {
    for (const each of [one, other, one]) await each.ask('GET', `${API}/warehouse`);
    expect([await one.mock.count(), await other.mock.count()]).toEqual([2, 1]);
  });

  test('do not wait for a mock that stopped', async () => {
    const third = await start();
    await third.mock.fault({ status: 500, times: 1 });
    expect((await one.ask('GET', `${API}/warehouse`)).status).toBe(500);
    await third.mock.close();
    await one.mock.clearFaults();
    expect((await other.ask('GET', `${API}/warehouse`)).status).toBe(200);
  });

  test('respond with 503 while the database is unavailable, and continue when it is available again', async () => {
    const made = await one.ask('POST', `${API}/warehouse`, { name: 'a' });
    await server.crash();
    for (const each of [one, other]) {
      const refused = await each.ask('POST', `${API}/warehouse`, { name: 'b' });
      expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      expect(refused.body.detail).toContain('does not respond. Send the request again.');
      expect((await each.ask('POST', '/__mock/faults', { status: 500 })).status).toBe(503);
    }
    await server.start();
    for (const each of [one, other]) {
      const listed = await each.ask('GET', `${API}/warehouse`);
      expect(listed.status).toBe(200);
      expect(JSON.stringify(listed.body)).toContain(`"id":${made.body.id},`);
    }
    // They find each other again, too.
    const notify = () => other.mock.fault({ status: 500 }).then(Boolean, () => false);
    await expect.poll(notify, { timeout: 20_000 }).toBe(true);
    const status = async () => (await one.ask('GET', `${API}/warehouse`)).status;
    await expect.poll(status, { timeout: 10_000 }).toBe(500);
  });
});
