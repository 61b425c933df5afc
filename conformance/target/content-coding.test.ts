import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { check } from '../../testing/checks.ts';
import { BRAND, useTarget } from '../../testing/proxies/use-target.ts';
import { LARGEST_BODY } from './exchange.ts';
import { createTarget } from './target.ts';

const { closing, listen } = useTarget();

async function ask(bytes: Uint8Array, coding: string) {
  const baseUrl = await listen((_, response) => {
    response.writeHead(200, { 'content-encoding': coding }).end(bytes);
  });
  const target = closing(createTarget({ baseUrl }));
  const answer = await target.send(BRAND, () => {});
  return { answer, oddities: target.oddities?.() };
}

const TEXT = '[{"name":"caf\u00e9"}]';

test.each([
  ['X-Gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])('an answer in a coding that nobody asked for %s is read, and is odd', async (coding, compress) => {
  const { answer, oddities } = await ask(compress(TEXT), coding);
  expect(answer.body).toBe(TEXT);
  expect(oddities).toEqual([
    `responses have content-encoding ${coding.toLowerCase()}, although requests ask for identity (RFC 9110, 12.5.3)`,
  ]);
});

test.each([
  ['of no known name', 'zip'],
  ['that the bytes do not have', 'gzip'],
])('an answer in a coding that nobody asked for %s stays as it came', async (_, coding) => {
  expect((await ask(Buffer.from(TEXT), coding)).answer.body).toBe(TEXT);
});

test('an answer in a coding that nobody asked for that unpacks to more than an answer may hold is no answer', async () => {
  const bomb = gzipSync(Buffer.alloc(LARGEST_BODY + 1));
  await expect(ask(bomb, 'gzip')).rejects.toThrow(/the response has more than 16777216 bytes/);
});

test('identity is no coding, and nothing in any coding is nothing', async () => {
  expect(await ask(Buffer.from(TEXT), 'identity')).toMatchObject({ answer: { body: TEXT }, oddities: [] });
  expect(await ask(Buffer.of(), 'gzip')).toMatchObject({ answer: { body: '' }, oddities: [] });
});

test('a run tells it once, and judges what is inside', async () => {
  const rows = gzipSync('[{"id":1,"name":"x"}]');
  const url = await listen((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(rows);
  });
  const results = await check(url, { readOnly: true, models: ['brand'], rules: ['operations.list'] });
  expect(results).toMatchObject({ counts: { pass: 1, fail: 0 } });
  expect(results.oddities).toEqual([expect.stringContaining('content-encoding gzip')]);
});
