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
  exchange.response = { ...response, body: hidden.body };
  noteHidden(exchange, hidden);
  const message = 'GET /api/model/brand/18 shows Confidential';
  expect(hideInText(message, [exchange])).toBe('GET /api/model/brand/18 shows [redacted]');
});

test('a message keeps a value that a record of the run shows, too', () => {
  const request = { method: 'GET', url: 'http://localhost/api/model/deposit', headers: {} };
  const records = [
    { id: 1, name: 'Confidential', endDate: '0001-01-01' },
    { id: 2, name: 'own', endDate: '0001-01-01' },
  ];
  const response = { status: 200, headers: {}, body: JSON.stringify(records), ms: 1 };
  const asked = { model: 'deposit', operation: 'list' };
  const hidden = hideOthers(asked, response, records, catalogue, (_, id) => id === 2);
  const exchange = { request, response: { ...response, body: hidden.body } };
  noteHidden(exchange, hidden);
  const message = 'found "0001-01-01" next to "Confidential"';
  expect(hideInText(message, [exchange])).toBe('found "0001-01-01" next to "[redacted]"');
});
