import { setupServer } from 'msw/node';
import { createMock } from 'record-model-contract/mock';
import { createHandlers } from 'record-model-contract/mock/msw';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const API = 'https://api.example.com';
const mock = await createMock({ fixtures: 'demo' });
const server = setupServer(...createHandlers(mock, { origin: API }));

// A request that no handler matches fails. MSW 2 has the option onUnhandledRequest instead.
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
beforeEach(() => mock.reset());
afterAll(() => server.close());

test('the app uses the real address of the API, and gets the records of the mock', async () => {
  const customers = await (await fetch(`${API}/api/model/customer?limit=2`)).json();
  expect(customers).toHaveLength(2);
  const deleted = await fetch(`${API}/api/model/customer/${customers[0].id}`, { method: 'DELETE' });
  expect(deleted.ok).toBe(true);
  expect(await mock.requests({ operation: 'deleteCustomer' })).toMatchObject([{ recordId: customers[0].id }]);
});

test('a request to another address does not leave the process', async () => {
  await expect(fetch(`${API}/api/customer`)).rejects.toThrow();
});

test('a dropped connection is a network error', async () => {
  await mock.fault({ drop: 'before', times: 1 });
  await expect(fetch(`${API}/api/model/customer`)).rejects.toThrow('fetch failed');
});
