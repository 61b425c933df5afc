import { expect, test } from 'vitest';
import type { ProxyExchange } from './proxy.ts';
import { createProxyCounter, renderExchange, renderProxySummary } from './proxy-report.ts';

const wrong = (index: number): ProxyExchange => ({
  method: 'GET',
  path: '/api/model/warehouse',
  operation: 'listWarehouse',
  status: 200,
  violations: [
    {
      location: ['response', 'body', String(index), 'id'],
      severity: 'Error',
      code: 'type',
      message: `Response body property ${index}.id must be integer`,
    },
  ],
});

test('an exchange is shown with each of its violations', () => {
  expect(renderExchange(wrong(3))).toBe(
    'GET /api/model/warehouse 200\n  error response.body.3.id: Response body property 3.id must be integer',
  );
  expect(renderExchange({ ...wrong(3), status: 502, violations: [], failure: 'gone' })).toBe(
    'GET /api/model/warehouse 502 gone',
  );
});

test('what a terminal would obey is shown and not obeyed', () => {
  expect(renderExchange({ ...wrong(1), path: '/\u001b[2J\n\u202e', violations: [] })).toBe(
    'GET /\\u001b[2J\\u000a\\u202e 200',
  );
});

test('a summary counts by operation and kind, wherever in a list it was', () => {
  const counter = createProxyCounter();
  for (let index = 0; index < 12; index++) counter.add(wrong(index));
  counter.add({ method: 'GET', path: '/x', status: 404, violations: [], failure: 'gone' });
  expect(counter.summary()).toMatchObject({ exchanges: 13, request: 0, response: 12, failed: 1 });
  expect(renderProxySummary(counter.summary())).toBe(
    [
      '13 exchanges: 0 invalid requests, 12 invalid responses, 1 without a complete response',
      'listWarehouse (12 exchanges)',
      '  12 × error response.body.*.id: Response body property *.id must be integer',
    ].join('\n'),
  );
});

test('a service that makes up names does not fill the memory', () => {
  const counter = createProxyCounter();
  for (let index = 0; index < 3000; index++) {
    const location = ['response', 'body', `made-up-${index}`];
    counter.add({ ...wrong(0), violations: [{ location, severity: 'Error', message: 'is wrong' }] });
  }
  const { operations, response } = counter.summary();
  expect([response, operations[0]?.kinds.length]).toEqual([3000, 1000]);
});
