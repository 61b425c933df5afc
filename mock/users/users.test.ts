import { expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { catalogue, startMock } from '../../testing/mocks/mocks.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { expectTranscript } from '../../testing/transcripts/transcripts.ts';
import { createMock } from '../mock.ts';

const directory = useDirectory();

const users = [
  { token: 'ana:all', id: 11 },
  { token: 'bo:reads', id: 12, readOnly: true },
  { token: 'cy:brands', id: 13, models: ['brand'], expires: '2025-11-01' },
];

expectTranscript(import.meta.dirname, 'users');

test('tokens of users are redacted in the request log', async () => {
  const { ask, mock } = await startMock({ auth: 'header Api-Token' }, { users, catalogue });
  for (const { token } of users) await ask('GET', '/warehouse', undefined, { 'api-token': token });
  const log = JSON.stringify(await mock.requests());
  expect(log).toContain('"status":200');
  for (const { token } of users) expect(log).not.toContain(token);
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
