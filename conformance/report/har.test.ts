import { expect, test } from 'vitest';
import { bareResults, HOSTILE, sampleResults } from '../../testing/sample-results.ts';
import { renderHar } from './har.ts';

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
    url: 'http://127.0.0.1:4010/api/model/warehouse/7?limit=2&token=%5Bredacted%5D',
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
