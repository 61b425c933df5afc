/** The request log and the request log show no secret, wherever a client names one. */
import { describe, expect, test } from 'vitest';
import { serveMock } from '../../../testing/mocks/control.ts';
import { catalogue, few, references } from '../../../testing/mocks/mocks.ts';
import type { Exchanged } from '../../mock.ts';

const LIST = '/api/model/warehouse';
const SECRET = 'hunter2-secret';

/** An API with a field for a secret: a message about its value quotes it. */
const warehouse = catalogue.models.get('warehouse');
const withPassword = (): typeof few => {
  if (!warehouse) throw new TypeError('The catalogue has no warehouse.');
  const [first] = warehouse.fields.filter(({ name }) => name === 'name');
  if (!first) throw new TypeError('A warehouse has no name.');
  const fields = [...warehouse.fields, { ...first, name: 'apiKey', type: 'int' as const, required: false }];
  return { ...few, models: new Map([...few.models, ['warehouse', { ...warehouse, fields }]]) } as typeof few;
};

describe.each<[string, { query?: string; headers?: Record<string, string>; body?: unknown }]>([
  ['a query', { query: `?api_key=${SECRET}&refreshToken=${SECRET}&a=1` }],
  ['the header of credentials', { headers: { authorization: `Bearer ${SECRET}`, cookie: `a=${SECRET}` } }],
  ['members', { body: { name: 'a', api_key: SECRET, refreshToken: SECRET } }],
  ['a field whose message quotes the value', { body: { name: 'a', apiKey: SECRET } }],
  ['JSON that is longer than the requestLog keeps', { body: { password: SECRET, name: 'a'.repeat(70_000) } }],
])('%s', (_, { body, headers, query = '' }) => {
  test('shows no secret', async () => {
    const seen: Exchanged[] = [];
    await using started = await serveMock({
      catalogue: withPassword(),
      references,
      fixtures: new Map(),
      onExchange: (exchange) => seen.push(exchange),
    });
    await started.ask('POST', LIST + query, body ?? { name: 'a' }, headers);
    await started.ask('POST', LIST + query, { name: 1 }, headers);
    const page = await started.ask('GET', '/', undefined, { accept: 'text/html' });
    const shown = [await started.mock.requests(), seen, page.body].map((one) => JSON.stringify(one));
    for (const text of shown) expect(text).not.toContain(SECRET);
    expect(shown[0]).toContain('redacted');
    expect(await started.mock.count({ body: SECRET })).toBe(0);
  });
});
