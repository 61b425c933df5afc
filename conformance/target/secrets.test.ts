import { expect, test } from 'vitest';
import { BRAND, failureOf, NEW_BRAND, useTarget } from '../../testing/proxies/use-target.ts';

const { listen, recorder, target } = useTarget();

const SECRET = 't0ps3cret-t0k3n';

test('secrets in headers and in the query are redacted in exchanges', async () => {
  const { url } = await recorder(() => ({}));
  const credentials = { authorization: `Bearer ${SECRET}`, 'x-api-key': SECRET };
  const { exchanges, send } = target(url, { credentials });
  await send({ ...BRAND, query: { api_key: SECRET, access_token: SECRET, Token: SECRET, name: 'kept' } });
  expect(JSON.stringify(exchanges)).not.toContain(SECRET);
  expect(exchanges[0]?.request).toMatchObject({
    headers: { authorization: '[redacted]', 'x-api-key': '[redacted]' },
    url: `${url}/api/model/brand?api_key=[redacted]&access_token=[redacted]&Token=[redacted]&name=kept`,
  });
});

test.each([
  ['a bearer token', { authorization: `Bearer ${SECRET}` }, `no such token: ${SECRET}`],
  ['a password, decoded', { authorization: `Basic ${btoa(`me:${SECRET}`)}` }, `${SECRET} is wrong`],
  ['a key with slashes, as PHP writes JSON', { 'x-api-key': 'ab/cd/ef/gh' }, 'ab\\/cd\\/ef\\/gh'],
])('secrets that the target repeats are redacted in exchanges: %s', async (_, credentials, echo) => {
  const { url } = await recorder(() => ({
    status: 400,
    headers: { 'x-echo': echo },
    body: `{"e":"${echo}"}`,
  }));
  const { exchanges, send } = target(url, { credentials });
  const answer = await send(BRAND);
  expect(JSON.parse(answer.body).e).toBe(JSON.parse(`"${echo}"`));
  const shown = JSON.stringify(exchanges);
  expect(shown).toContain('[redacted]');
  for (const secret of [SECRET, btoa(`me:${SECRET}`), 'cd/ef', 'cd\\\\/ef'])
    expect(shown).not.toContain(secret);
});

test('secrets that are sent as data are redacted in exchanges', async () => {
  const { url } = await recorder(() => ({}));
  const key = 't0p s3cret/k3y';
  const { exchanges, send } = target(`${url}/t0p`, { credentials: { 'x-api-key': key } });
  await send({ ...NEW_BRAND, query: { name: key }, body: JSON.stringify({ name: key }) });
  await send({ ...BRAND, path: `/api/model/brand/${encodeURIComponent(key)}` });
  expect(exchanges.map(({ request }) => [request.url, request.body])).toEqual([
    [`${url}/t0p/api/model/brand?name=[redacted]`, '{"name":"[redacted]"}'],
    [`${url}/t0p/api/model/brand/[redacted]`, undefined],
  ]);
});

test('secrets in cookies are redacted in exchanges, but cookie names and attributes are kept', async () => {
  const served = await listen((_, response) => {
    response.setHeader('set-cookie', [
      `session="${SECRET}, =x"; Path=/; HttpOnly; Expires=Wed, 21 Oct 2065 07:28:00 GMT`,
      `theme=${SECRET}; SameSite=Lax; Max-Age=60; Secure; Domain=.example.com; Note=${SECRET}`,
      `a=b; Path=/, folded=${SECRET}; Secure`,
      SECRET,
    ]);
    response.setHeader('cookie', `session=${SECRET}; other=${SECRET}`);
    response.end();
  });
  const { exchanges, send } = target(served, { headers: { Cookie: `mine=${SECRET}; ${SECRET}` } });
  const answer = await send(BRAND);
  expect(answer.headers['set-cookie']).toContain(SECRET);
  expect(JSON.stringify(exchanges)).not.toContain(SECRET);
  expect(exchanges[0]?.request.headers.Cookie).toBe('mine=[redacted]; [redacted]');
  expect(exchanges[0]?.response.headers).toMatchObject({
    cookie: 'session=[redacted]; other=[redacted]',
    'set-cookie': [
      'session=[redacted]; Path=/; HttpOnly; Expires=Wed, 21 Oct 2065 07:28:00 GMT',
      'theme=[redacted]; SameSite=Lax; Max-Age=60; Secure; Domain=.example.com; Note=[redacted]',
      'a=[redacted]; Path=[redacted]; Secure',
      '[redacted]',
    ].join(', '),
  });
});

test('secrets in the address of a redirect are redacted in exchanges', async () => {
  const location = `https://me:${SECRET}@example.com/x?token=${SECRET}`;
  const { url } = await recorder(() => ({ status: 302, headers: { location } }));
  const { exchanges, send } = target(url);
  await send(BRAND);
  expect(exchanges[0]?.response.headers.location).toBe('https://[redacted]@example.com/x?token=[redacted]');
});

test('secrets are not sent to another host, because redirects are not followed', async () => {
  const elsewhere = await recorder(() => ({}));
  for (const status of [301, 307]) {
    const headers = { location: `${elsewhere.url}/api/model/brand` };
    const { url } = await recorder(() => ({ status, headers }));
    const { send } = target(url, { credentials: { authorization: `Bearer ${SECRET}` } });
    expect([(await send(BRAND)).status, (await send(NEW_BRAND)).status]).toEqual([status, status]);
  }
  expect(elsewhere.asked).toEqual([]);
});

test('secrets that are short words are redacted only in headers', async () => {
  const { url } = await recorder(() => ({ body: '{"name":"key"}' }));
  const { exchanges, send } = target(url, { credentials: { 'x-api-key': 'key' } });
  await send(BRAND);
  expect(exchanges[0]?.response.body).toBe('{"name":"key"}');
  expect(exchanges[0]?.request.headers['x-api-key']).toBe('[redacted]');
});

test('secrets are redacted in the message about a missing response', async () => {
  const url = await listen(({ socket }) => socket.destroy());
  const { send } = target(url, { credentials: { authorization: `Bearer ${SECRET}` } });
  const { message } = await failureOf(send({ ...BRAND, query: { token: SECRET } }));
  expect(message).not.toContain(SECRET);
  expect(message).toContain('token=[redacted]');
});
