import { expect, test } from 'vitest';
import { BRAND, failureOf, useTarget } from '../../testing/proxies/use-target.ts';
import { readJson } from '../api/answer.ts';

const { listen, target } = useTarget();

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
  ['comes in chunks', false, false],
  ['comes through a proxy', false, true],
])('a huge answer that %s is cut off, and the message says so', async (_, sized, proxied) => {
  const huge = await serveHuge(sized);
  const proxy = proxied ? { proxy: { http: huge.url } } : {};
  const url = proxied ? 'http://service.invalid' : huge.url;
  const error = await failureOf(target(url, proxy).send(BRAND));
  expect(error.message).toBe(`GET ${url}/api/model/brand: the response has more than 16777216 bytes`);
  // The operating system buffers little, so the client did not read the rest.
  expect(huge.sent()).toBeLessThan(40);
});

test('a huge answer up to the bound is taken whole', async () => {
  const url = await listen((_, response) => response.end(Buffer.alloc(16 * 1024 * 1024, 'x')));
  expect((await target(url).send(BRAND)).body).toHaveLength(16 * 1024 * 1024);
});

test('a huge answer that is nested five million levels deep is not parsed', async () => {
  const levels = 5_000_000;
  const body = `{"token":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const { exchanges, send } = target(await listen((_, response) => response.end(body)));
  const before = process.memoryUsage().rss;
  expect(readJson((await send(BRAND)).body).json).toBe(undefined);
  expect(exchanges[0]?.response.body).toBe(`[redacted: ${body.length} characters that name a secret]`);
  // Parsed, it takes more than 400 MB.
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * PIECE.length);
});
