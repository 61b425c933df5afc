import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { check } from '../../testing/checks.ts';
import { BRAND, failureOf, NEW_BRAND, useTarget } from '../../testing/proxies/use-target.ts';
import { LARGEST_BODY } from './exchange.ts';
import { createTarget } from './target.ts';

const { closing, listen, recorder, target } = useTarget();

test('a request has its query, headers, body, and credentials, and accepts JSON', async () => {
  const { asked, url } = await recorder(() => ({ body: { id: 1 } }));
  const { send } = target(`${url}/base/`, {
    headers: { 'x-tenant': '7' },
    credentials: { authorization: 'Bearer t0ps3cret' },
  });
  const answer = await send({
    ...NEW_BRAND,
    query: { 'a b': 'ä&=' },
    headers: { 'content-type': 'application/json' },
  });
  expect(answer).toMatchObject({ status: 200, body: '{"id":1}' });
  expect(asked).toMatchObject([
    {
      method: 'POST',
      path: '/base/api/model/brand?a+b=%C3%A4%26%3D',
      body: '{"name":"x"}',
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        'x-tenant': '7',
        authorization: 'Bearer t0ps3cret',
      },
    },
  ]);
});

test('a request asks for another content coding if its headers say so', async () => {
  const { asked, url } = await recorder(() => ({}));
  await target(url, { headers: { 'accept-encoding': 'gzip' } }).send(BRAND);
  expect(asked[0]?.headers).toMatchObject({ 'accept-encoding': 'gzip' });
});

test('a request is sent without credentials if requested', async () => {
  const { asked, url } = await recorder(() => ({ status: 401 }));
  const { exchanges, send } = target(url, { credentials: { 'x-api-key': 't0ps3cret' } });
  await send({ ...BRAND, without: 'credentials' });
  expect(asked[0]?.headers).not.toHaveProperty('x-api-key');
  expect(exchanges[0]?.request.headers).not.toHaveProperty('x-api-key');
});

test('a read-only target rejects requests with other methods than GET', async () => {
  const { asked, url } = await recorder(() => ({}));
  const { requests, send } = target(url, { readOnly: true });
  for (const method of ['POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'])
    await expect(send({ ...BRAND, method })).rejects.toThrow(
      `A read-only run tried to send ${method} /api/model/brand`,
    );
  await send(BRAND);
  expect([asked.map((one) => one.method), requests()]).toEqual([['GET'], 1]);
});

test('an exchange has the complete request and response, except that long bodies are cut', async () => {
  const { url } = await recorder(() => ({ body: 'y'.repeat(5000), headers: { 'set-cookie': 'a=b' } }));
  const { exchanges, send } = target(url);
  const answer = await send({ ...NEW_BRAND, body: 'x'.repeat(4001) });
  expect(answer.body).toHaveLength(5000);
  expect(exchanges).toHaveLength(1);
  expect(exchanges[0]?.request.body).toMatch(/^x{4000}… \(4001 characters\)$/);
  expect(exchanges[0]?.response.body).toMatch(/^y{4000}… \(5000 characters\)$/);
  expect(exchanges[0]?.response.headers['set-cookie']).toBe('a=[redacted]');
});

test.each([
  ['no bytes', ''],
  ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x41])],
])('a response with a body of %s is accepted', async (_, body) => {
  const url = await listen((__, response) => response.end(body));
  const answer = await target(url).send(BRAND);
  expect(answer).toMatchObject({ status: 200, body: new TextDecoder().decode(Buffer.from(body)) });
});

async function ask(bytes: Uint8Array, coding: string) {
  const baseUrl = await listen((_, response) => {
    response.writeHead(200, { 'content-encoding': coding }).end(bytes);
  });
  const created = closing(createTarget({ baseUrl }));
  const answer = await created.send(BRAND, () => {});
  return { answer, oddities: created.oddities?.() };
}

const TEXT = '[{"name":"caf\u00e9"}]';

test.each([
  ['X-Gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])(
  'a response in the coding %s that the request did not ask for is decoded and reported',
  async (coding, compress) => {
    const { answer, oddities } = await ask(compress(TEXT), coding);
    expect(answer.body).toBe(TEXT);
    expect(oddities).toEqual([
      `responses have content-encoding ${coding.toLowerCase()}, although requests ask for identity (RFC 9110, 12.5.3)`,
    ]);
  },
);

test.each([
  ['with an unknown name', 'zip'],
  ['other than that of the bytes', 'gzip'],
])('a response in a coding %s that the request did not ask for is returned unchanged', async (_, coding) => {
  expect((await ask(Buffer.from(TEXT), coding)).answer.body).toBe(TEXT);
});

test('a compressed response that exceeds the size limit when unpacked is rejected', async () => {
  const bomb = gzipSync(Buffer.alloc(LARGEST_BODY + 1));
  await expect(ask(bomb, 'gzip')).rejects.toThrow(/the response has more than 16777216 bytes/);
});

test('the coding identity and an empty body in any coding are not reported', async () => {
  expect(await ask(Buffer.from(TEXT), 'identity')).toMatchObject({ answer: { body: TEXT }, oddities: [] });
  expect(await ask(Buffer.of(), 'gzip')).toMatchObject({ answer: { body: '' }, oddities: [] });
});

test('check reports a coding that the request did not ask for once, and judges the decoded body', async () => {
  const rows = gzipSync('[{"id":1,"name":"x"}]');
  const url = await listen((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(rows);
  });
  const results = await check(url, { readOnly: true, models: ['brand'], rules: ['operations.list'] });
  expect(results).toMatchObject({ counts: { pass: 1, fail: 0 } });
  expect(results.oddities).toEqual([expect.stringContaining('content-encoding gzip')]);
});

const PIECE = Buffer.alloc(1024 * 1024, ' ');
const SIZE = 60;

/** Sends 60 MB as fast as the client reads, and counts the pieces that it read. */
async function serveHuge(sized: boolean) {
  let sent = 0;
  const url = await listen((_, response) => {
    response.writeHead(200, sized ? { 'content-length': SIZE * PIECE.length } : {});
    const push = () => {
      while (sent < SIZE && !response.destroyed) {
        sent++;
        if (!response.write(PIECE)) return;
      }
      if (sent === SIZE) response.end();
    };
    response.on('drain', push);
    push();
  });
  return { url, sent: () => sent };
}

test.each([
  ['arrives in chunks', false, false],
  ['arrives through a proxy', false, true],
])('a huge response that %s is cut off, and the message states the limit', async (_, sized, proxied) => {
  const huge = await serveHuge(sized);
  const proxy = proxied ? { proxy: { http: huge.url } } : {};
  const url = proxied ? 'http://service.invalid' : huge.url;
  const error = await failureOf(target(url, proxy).send(BRAND));
  expect(error.message).toBe(`GET ${url}/api/model/brand: the response has more than 16777216 bytes`);
  // The operating system buffers little, so the client did not read the rest.
  expect(huge.sent()).toBeLessThan(40);
});

test('a response up to the size limit is read in full', async () => {
  const url = await listen((_, response) => response.end(Buffer.alloc(16 * 1024 * 1024, 'x')));
  expect((await target(url).send(BRAND)).body).toHaveLength(16 * 1024 * 1024);
});
