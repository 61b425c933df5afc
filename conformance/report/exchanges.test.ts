import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { HOSTILE, sampleCase, sampleExchange, sampleResults } from '../../testing/sample-results.ts';
import { curlLine, renderExchanges, renderHar } from './exchanges.ts';

const ODD = 'oops\n::error title=pwn::injected\r\n  ::warning::x\r##[error]y \u001b[2J\u0007\u009b\u202e\tz';

test('each line of a request and a response has its mark', () => {
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

test('a curl command with control characters sends the original body', () => {
  const { request, response } = sampleExchange();
  const body = `it's \\ ${ODD}`;
  const line = curlLine({ request: { ...request, body }, response });
  const command = (line ?? '').replace(/^curl .* --data-raw (.*) '[^']*'$/s, "printf '%s' $1");
  const env = { LC_ALL: 'C.UTF-8' };
  const printed = execFileSync('bash', ['--norc', '-c', command], { encoding: 'utf8', env });
  expect(line).not.toContain('\n');
  expect(printed).toBe(body);
});

test('a HAR file has each exchange on the page of its case, and only the time at which the run started', () => {
  const results = sampleResults();
  const { log } = JSON.parse(renderHar(results));
  // A flaky case shows both tries.
  expect([log.version, log.entries.length]).toEqual(['1.2', 5]);
  const pages = new Set(log.entries.map(({ pageref }: { pageref: string }) => pageref));
  expect([...pages]).toEqual(log.pages.map(({ id }: { id: string }) => id));
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
