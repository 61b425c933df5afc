import { expect, test } from 'vitest';
import { startRecordingProxy } from '../../testing/proxies/recording-proxy.ts';
import { BRAND, failureOf, useTarget } from '../../testing/proxies/use-target.ts';

const { closing, listen, listenRaw, recorder, target } = useTarget();

/** Forwards HTTP by absolute address, tunnels by CONNECT, and notes what it was asked for. */
async function startProxy(behind: string, status = 200) {
  const seen: string[] = [];
  const { url } = closing(
    await startRecordingProxy(behind, ({ headers, method, path }) => {
      seen.push(`${method} ${path} ${headers['proxy-authorization'] ?? ''}`.trim());
      return status === 200 ? { body: { through: 'proxy' } } : { status };
    }),
  );
  return { url, seen };
}

test('a proxy receives requests for other hosts, with its own credentials and the absolute URL', async () => {
  const proxy = await startProxy('');
  const withUser = proxy.url.replace('//', '//me:pr0xy@');
  const { exchanges, send } = target('http://service.invalid:8080', {
    proxy: { http: withUser },
    credentials: { authorization: 'Bearer t0ps3cret' },
  });
  expect((await send(BRAND)).body).toBe('{"through":"proxy"}');
  expect(proxy.seen).toEqual([`GET http://service.invalid:8080/api/model/brand Basic ${btoa('me:pr0xy')}`]);
  expect(JSON.stringify(exchanges)).not.toContain('pr0xy');
  expect(exchanges[0]?.request.url).toBe('http://service.invalid:8080/api/model/brand');
});

test('a proxy receives concurrent requests', async () => {
  let under = 0;
  let most = 0;
  const url = await listen(async (_, response) => {
    most = Math.max(most, ++under);
    // Waits for the second one; a lone one would wait in vain.
    while (most < 2) await new Promise(setImmediate);
    under--;
    response.end();
  });
  const { send } = target('http://service.invalid', { proxy: { http: url }, timeout: 3000 });
  await Promise.all([send(BRAND), send(BRAND)]);
  expect(most).toBe(2);
});

test('a proxy receives no requests for excluded hosts', async () => {
  const proxy = await startProxy('');
  const { asked, url } = await recorder(() => ({}));
  await target(url, { proxy: { http: proxy.url, none: 'other.example,127.0.0.1' } }).send(BRAND);
  expect([asked.length, proxy.seen]).toEqual([1, []]);
});

test('a proxy tunnels https requests', async () => {
  const heard: string[] = [];
  const https = await listenRaw((socket, first) => {
    heard.push(first.split('\r\n')[0] ?? '');
    socket.destroy();
  });
  const { url: http } = await recorder(() => ({}));
  await failureOf(target('https://service.invalid', { proxy: { https, http } }).send(BRAND));
  expect(new Set(heard)).toEqual(new Set(['CONNECT service.invalid:443 HTTP/1.1']));
});

test('a proxy that requires authentication (407) is reported as a failed request', async () => {
  const proxy = await startProxy('', 407);
  const { send } = target('http://service.invalid', { proxy: { http: proxy.url } });
  expect((await failureOf(send(BRAND))).message).toMatch(
    /^GET http:\/\/service\.invalid\/api\/model\/brand: .*407/,
  );
});
