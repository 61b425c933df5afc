import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import {
  bareResults,
  HOSTILE,
  sampleCase,
  sampleExchange,
  sampleResults,
} from '../../testing/sample-results.ts';
import { curlLine, renderExchanges, renderHar } from './exchanges.ts';

const ODD = 'oops\n::error title=pwn::injected\r\n  ::warning::x\r##[error]y \u001b[2J\u0007\u009b\u202e\tz';

test('each line of what was sent and what came has its mark', () => {
  const text = renderExchanges(sampleResults({ cases: [sampleCase({ exchanges: [sampleExchange('{}')] })] }));
  const [empty, title, curl, ...lines] = text.trimEnd().split('\n');
  expect([empty, title, curl]).toEqual(['', '== exchange 1', expect.stringMatching(/^curl -i -X POST /)]);
  expect(lines[0]).toBe('> POST http://127.0.0.1:4010/api/model/warehouse?limit=2&token=[redacted]');
  expect(lines.slice(-5)).toEqual([
    '> {"name":"it\'s","big":12345678901234567890}',
    '< 200',
    '< Content-Type: text/html',
    '< location: /elsewhere',
    '< {}',
  ]);
});

test('no answer of a service controls a terminal, or a CI system that reads the output', () => {
  const exchange = sampleExchange(ODD);
  const result = sampleCase({ exchanges: [{ ...exchange, request: { ...exchange.request, body: ODD } }] });
  const text = renderExchanges(sampleResults({ cases: [result] }));
  expect(text).toContain(
    '\n< oops\n< \\u003a:error title=pwn::injected\n<   \\u003a:warning::x\n< #\\u0023[error]y',
  );
  expect(text).toContain('y \\u001b[2J\\u0007\\u009b\\u202e\tz');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not come through
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  for (const line of text.split('\n')) expect(line).toMatch(/^(|== exchange 1|curl .*|[<>] .*)$/);
});

test('a command line with control characters sends what was sent', () => {
  const { request, response } = sampleExchange();
  const body = `it's \\ ${ODD}`;
  const line = curlLine({ request: { ...request, body }, response });
  const printed = execFileSync(
    'bash',
    ['--norc', '-c', (line ?? '').replace(/^curl .* --data-raw (.*) '[^']*'$/s, "printf '%s' $1")],
    {
      encoding: 'utf8',
      env: { LC_ALL: 'C.UTF-8' },
    },
  );
  expect(line).not.toContain('\n');
  expect(printed).toBe(body);
});

test('every exchange of the results is an entry of the page of its case', () => {
  const results = sampleResults();
  const { log } = JSON.parse(renderHar(results));
  const pages = log.pages.map(({ id }: { id: string }) => id);
  expect(log.version).toBe('1.2');
  expect(log.entries).toHaveLength(5);
  const pagerefs = log.entries.map(({ pageref }: { pageref: string }) => pageref);
  // A flaky case shows both tries.
  expect([...new Set(pagerefs)]).toEqual(pages);
});

test('an entry has the request and the response as they were, and no time but the start of the run', () => {
  const results = sampleResults();
  const { log } = JSON.parse(renderHar(results));
  const [entry] = log.entries;
  expect(entry.startedDateTime).toBe(results.startedAt);
  expect(entry.request).toMatchObject({
    method: 'POST',
    url: 'http://127.0.0.1:4010/api/model/warehouse?limit=2&token=%5Bredacted%5D',
    queryString: [
      { name: 'limit', value: '2' },
      { name: 'token', value: '[redacted]' },
    ],
    postData: { mimeType: 'application/json', text: '{"name":"it\'s","big":12345678901234567890}' },
  });
  expect(entry.request.headers).toContainEqual({ name: 'authorization', value: '[redacted]' });
  expect(entry.response).toMatchObject({
    status: 200,
    statusText: 'OK',
    redirectURL: '/elsewhere',
    content: { mimeType: 'text/html', size: Buffer.byteLength(HOSTILE), text: HOSTILE },
  });
});

test('a run without exchanges is an empty archive', () => {
  expect(JSON.parse(renderHar(bareResults())).log).toMatchObject({ pages: [], entries: [] });
});
