import { expect, test } from 'vitest';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { catalogue } from '../../testing/checks.ts';
import type { Exchange } from '../target/exchange.ts';
import { isWhatWasSent, mightBeSent } from './identity.ts';

const now = new Date().toISOString();
const OLD = '2001-02-03T04:05:06Z';

/** An exchange with a body, answered at a time by the clock of the service. */
function exchange(body: string, date = now): Exchange {
  const request = { method: 'POST', url: 'http://127.0.0.1/api/model/x', headers: {}, body };
  return { request, response: { status: 201, headers: { date }, body: '' } };
}

test.each<[string, string, string, object, boolean]>([
  ['nothing sent, created now', 'accessControlLog', '{}', { created: now }, true],
  ['nothing sent, created long ago', 'accessControlLog', '{}', { created: OLD }, false],
])('what was sent is recognized: %s', (_, name, body, record, is) => {
  const model = catalogue.models.get(name);
  expect(model && isWhatWasSent(model, { id: 3, ...record }, exchange(body))).toBe(is);
});

test('a record is matched with a create by the clock of the service', () => {
  const model = catalogue.models.get('accessControlLog');
  const date = new Date(OLD).toUTCString();
  expect(model && isWhatWasSent(model, { id: 3, created: OLD }, exchange('{}', date))).toBe(true);
});

test.each<[string, string, RecordValues, RecordValues, boolean]>([
  ['a string of the create matches', 'brand', { name: 'Acme' }, { id: 3, name: 'Acme' }, true],
  ['another string does not match', 'brand', { name: 'Acme' }, { id: 3, name: 'Brand' }, false],
  [
    'the numbers of a create without strings match',
    'deposit',
    { customer: 7, balance: 12 },
    { customer: 7, balance: 12 },
    true,
  ],
  [
    'another number does not match',
    'deposit',
    { customer: 7, balance: 12 },
    { customer: 7, balance: 13 },
    false,
  ],
])('a record can come from a create of the suite: %s', (_, name, sent, record, is) => {
  const model = catalogue.models.get(name);
  expect(model && mightBeSent(model, sent, record)).toBe(is);
});
