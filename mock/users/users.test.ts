import { describe, expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { serveMock } from '../../testing/mocks/control.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { createMock } from '../mock.ts';

const directory = useDirectory();

const users = [
  { token: 'ana:all', id: 11 },
  { token: 'bo:reads', id: 12, readOnly: true },
  { token: 'cy:brands', id: 13, models: ['brand'], expires: '2025-11-01' },
];

type Sign = (token: string) => Record<string, string>;

describe.each<[string, Record<string, unknown>, Sign, (answer: unknown) => unknown, string]>([
  [
    'basic',
    { auth: 'basic' },
    (token) => ({ authorization: `Basic ${Buffer.from(token).toString('base64')}` }),
    (body) => body,
    'Basic realm="record-model", charset="UTF-8"',
  ],
  [
    'apiKey',
    { auth: 'header Api-Token', 'errors.form': 'simple' },
    (token) => ({ 'api-token': token }),
    (body) => body,
    'ApiKey header="Api-Token"',
  ],
  [
    'bearer',
    { auth: 'bearer', 'response.record': '/data', 'errors.form': 'empty' },
    (token) => ({ authorization: `Bearer ${token.replace(':', '.')}` }),
    (body) => (body as { data?: unknown }).data,
    'Bearer error="invalid_token"',
  ],
])('users under %s', (scheme, profile, sign, recordOf, challenge) => {
  const own = users.map((user) => ({
    ...user,
    token: scheme === 'bearer' ? user.token.replace(':', '.') : user.token,
  }));

  test('are named in records they create and update, and are rejected if they lack permission', async () => {
    await using started = await serveMock({ profile, users: own, now: new Date('2025-10-22T09:30:00Z') });
    const ask = (token: string, method: string, path: string, sent?: object) =>
      started.ask(method, `/api/model/${path}`, sent, token === '' ? {} : sign(token));
    const made = await ask('ana:all', 'POST', 'brand', { name: 'Nueva' });
    expect(recordOf(made.body)).toMatchObject({ createUser: 11, updateUser: 11 });
    const { id } = recordOf(made.body) as { id: number };
    const changed = await ask('cy:brands', 'POST', `brand/${id}`, { name: 'Otra' });
    expect(recordOf(changed.body)).toMatchObject({ createUser: 11, updateUser: 13 });
    await ask('ana:all', 'DELETE', `brand/${id}`);
    expect(recordOf((await ask('bo:reads', 'GET', `brand/${id}`)).body)).toMatchObject({ updateUser: 11 });

    for (const token of ['', 'dee:nobody']) expect((await ask(token, 'GET', 'brand')).status).toBe(401);
    expect((await ask('dee:nobody', 'GET', 'brand')).headers['www-authenticate']).toBe(challenge);
    expect((await ask('bo:reads', 'POST', 'brand', { name: 'x' })).status).toBe(403);
    expect((await ask('bo:reads', 'DELETE', 'brand/1')).status).toBe(403);
    const forbidden = await ask('cy:brands', 'GET', 'customer');
    expect(forbidden.status).toBe(403);
    const said = JSON.stringify(forbidden.body);
    if (profile['errors.form'] === 'empty') expect(said).toBe('""');
    else expect(said).toContain(`":"User 13 can't use customer. The user can use brand."}`);

    // By the clock of the session, so that a test can wait for it.
    await started.mock.clock.set({ now: new Date('2025-11-01T00:00:00Z') });
    expect((await ask('cy:brands', 'GET', 'brand')).status).toBe(401);
    expect((await ask('bo:reads', 'GET', 'brand')).status).toBe(200);
    const requestLog = JSON.stringify(await started.mock.requests());
    for (const { token } of own) expect(requestLog).not.toContain(token);
  });
});

const MISTAKES: Readonly<Record<string, string | RegExp>> = {
  '- { token: a, id: 1 }\n- { tokn: b, id: 2 }\n': ':2: Unknown key "tokn". Did you mean "token"?',
  '- token: a\n  id: 1\n  models: [brnd]\n': ':1: Unknown model "brnd" for user 1. Did you mean "brand"?',
  '- { token: a, id: 1 }\n- { token: a, id: 2 }\n':
    ':2: User 2 has the token of another user. Change one of them.',
  '- token: a\n  id: 1\n  expires: soon\n':
    ':3: expires must be a date or time such as 2025-10-22T09:30:00Z, but is "soon".',
  '- { token: "ana:b", id: 1 }\n':
    ":1: The token of user 1 can't be sent as bearer. Use only letters, digits, and -._~+/ (RFC 6750).",
  '- { token: a, id: 1, models: [brnd, stok] }\n- { token: a b, id: 2 }\n':
    /:1: Unknown model "stok" for user 1\. Did you mean "stock"\?\n.*:2: The token of user 2 can't be sent/,
  '[]\n': ':1: The file must be a list of 1 to 10,000 users, but is an empty list.',
};

test.each(Object.entries(MISTAKES))(
  'an error in a file of users is reported with its line: %j',
  async (text, message) => {
    const path = directory.write('users.yaml', text);
    const started = createMock({ users: path, profile: { auth: 'bearer' } });
    await expect(started).rejects.toThrow(UsageError);
    await expect(started).rejects.toThrow(message);
  },
);

test('users are rejected if the profile needs no credentials', async () => {
  await expect(createMock({ users })).rejects.toThrow(
    'Users need credentials, but auth is "none" in the profile. Set it to bearer, basic, or header X-API-Key.',
  );
});
