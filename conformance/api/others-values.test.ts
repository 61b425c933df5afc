import { expect, test } from 'vitest';
import { catalogue } from '../../testing/checks.ts';
import { hideInText, hideOthers, noteHidden } from './answer.ts';

test('a message keeps the URLs of requests, also if a record of others links to them', () => {
  const records = [{ id: 1, name: 'Confidential', link: '/api/model/brand/1' }];
  const response = { status: 200, headers: {}, body: JSON.stringify(records), ms: 1 };
  const exchange = {
    request: { method: 'GET', url: 'http://localhost/api/model/brand', headers: {} },
    response,
  };
  const hidden = hideOthers({ model: 'brand', operation: 'list' }, response, records, catalogue, () => false);
  expect(hidden.body).toBe('[{"id":1,"name":"[redacted]","link":"[redacted]"}]');
  noteHidden(exchange, hidden);
  const message = 'GET /api/model/brand/18 shows Confidential';
  expect(hideInText(message, [exchange])).toBe('GET /api/model/brand/18 shows [redacted]');
});
