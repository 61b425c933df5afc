import { afterAll, describe, expect, test } from 'vitest';
import { serveMock } from '../../../testing/mocks/control.ts';

const started = await serveMock({ maxSessions: 250 });
afterAll(() => started.mock.close());

type Named = { readonly name: string };

const API = '/api/model';
const as = (session: string) => ({ 'x-mock-session': session });

describe('a session', () => {
  test('is named by a prefix as by the header, and the prefix goes first', async () => {
    const { ask } = started;
    const made = await ask('POST', `/__mock/sessions/named${API}/brand`, { name: 'a' });
    expect(made.headers.location).toBe(`${API}/brand/${made.body.id}`);
    expect((await ask('GET', `${API}/brand/${made.body.id}`, undefined, as('named'))).status).toBe(200);
    const path = `/__mock/sessions/named${API}/brand/${made.body.id}`;
    expect((await ask('GET', path, undefined, as('other'))).status).toBe(200);
    expect((await ask('POST', '/__mock/sessions/named/__mock/reset')).status).toBe(204);
    expect((await ask('GET', path)).status).toBe(404);
  });

  test.each(['', '.', '..', 'a b', 'a/b', '%C3%A9', 'x'.repeat(65)])('can not be called %j', async (name) => {
    const { body, status } = await started.ask('GET', `${API}/brand`, undefined, as(name));
    expect([status, body.detail]).toEqual([400, expect.stringContaining('Use 1 to 64 of these characters')]);
    expect(() => started.mock.session(name)).toThrow('Use 1 to 64 of these characters');
  });

  test('is made from a snapshot, told of when it is there already, and ended', async () => {
    const { ask } = started;
    await ask('POST', `${API}/brand`, { name: 'kept' }, as('source'));
    expect(
      (await ask('POST', '/__mock/snapshots', { name: 'full', shared: true }, as('source'))).status,
    ).toBe(201);
    expect((await ask('GET', '/__mock/snapshots')).body.snapshots).toContain('full');
    const make = (sent: unknown) => ask('POST', '/__mock/sessions', sent);
    expect((await make({ name: 'heir', from: 'full' })).status).toBe(201);
    expect((await make({ name: 'heir' })).status).toBe(409);
    expect((await make({ name: 'x', from: 'nothing' })).body.detail).toMatch(
      /Unknown snapshot "nothing"\. Use "full"\./,
    );
    expect((await make({ name: 'a b' })).status).toBe(422);
    const names = (await ask<Named[]>('GET', `${API}/brand`, undefined, as('heir'))).body.map(
      ({ name }) => name,
    );
    expect(names).toContain('kept');
    await ask('POST', `${API}/brand`, { name: 'gone after the reset' }, as('heir'));
    await ask('POST', '/__mock/reset', undefined, as('heir'));
    const reset = await ask('GET', `${API}/brand`, undefined, as('heir'));
    expect(reset.body).toHaveLength(names.length);
    expect((await ask('DELETE', '/__mock/sessions/heir')).status).toBe(204);
    expect((await ask('DELETE', '/__mock/sessions/heir')).status).toBe(404);
    expect((await ask('DELETE', '/__mock/sessions/default')).status).toBe(404);
    expect((await ask('DELETE', '/__mock/snapshots/full')).status).toBe(204);
    expect((await ask('POST', '/__mock/snapshots/full/restore')).status).toBe(404);
  });

  test('stays for who asked for it, however long it took to open', async () => {
    await using short = await serveMock({ sessionIdle: 0.001 });
    const made = await short.ask('POST', `${API}/warehouse`, { name: 'one' }, as('a'));
    expect(made.status).toBe(201);
    expect(await short.ask('GET', `${API}/warehouse/${made.body.id}`, undefined, as('a'))).toMatchObject({
      status: 200,
      body: { name: 'one' },
    });
  });
});
