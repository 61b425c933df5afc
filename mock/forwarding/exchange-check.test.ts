import { describe, expect, test } from 'vitest';
import { generateDocument } from '../../generator/generate.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { few as catalogue, references } from '../../testing/mocks/mocks.ts';
import { type ForwardingMock, told, useForwarding, WAREHOUSE_1 } from '../../testing/mocks/use-forwarding.ts';
import { createContractService } from '../operations/contract-service.ts';
import { createExchangeCheck } from './forwarding.ts';
import type { Forwarded } from './upstream.ts';

const { serve, serveJson, startBeforeMock, startForwarding } = useForwarding();

const WAREHOUSE = '/api/model/warehouse';
const json = { 'content-type': 'application/json' };

// Prism takes a schema that does not compile for one that everything fits.
const profile = createProfile({}, catalogue);
const { components, paths } = generateDocument({ catalogue, profile, references });
const contract = { catalogue, profile, references };
const check = createExchangeCheck(contract, createContractService(contract, 1000));
test.each([...catalogue.models.values()].map((model) => [model.name, model] as const))(
  'every operation of the document takes a record of %s as answer and nothing else',
  async (name, model) => {
    const path = `${catalogue.base}/${name}`;
    const shown = JSON.stringify(paths[`${path}/{id}`]?.get?.responses?.['200']);
    const [, named = ''] = /#\/components\/examples\/(\w+)/.exec(shown) ?? [];
    const example = (components.examples?.[named] ?? {}) as { value?: unknown };
    for (const operation of model.operations) {
      const method = { retrieve: 'GET', list: 'GET', create: 'POST', update: 'POST', delete: 'DELETE' }[
        operation
      ];
      const target = operation === 'list' || operation === 'create' ? path : `${path}/1`;
      const status = operation === 'create' ? 201 : 200;
      const [right, wrong] =
        operation === 'list' ? [[example.value], [{ id: 'x' }]] : [example.value, { id: 'x' }];
      expect(await violationsOf(check, method, target, answerOf(status, right))).toEqual([]);
      expect(await violationsOf(check, method, target, answerOf(status, wrong))).not.toEqual([]);
    }
  },
);

test('every operation of the document has a body that is checked where it takes one', async () => {
  for (const model of catalogue.models.values())
    for (const operation of ['create', 'update'] as const) {
      if (!model.operations.includes(operation)) continue;
      const target = `${catalogue.base}/${model.name}${operation === 'update' ? '/1' : ''}`;
      const headers = { 'content-type': 'application/json' };
      const request = { method: 'POST', target, headers, body: Buffer.from('{"no such field":1}') };
      const { violations } = await check(request, () => Promise.resolve(answerOf(200, {})));
      expect(violations).toContainEqual(expect.objectContaining({ pointer: '/no such field' }));
    }
});

describe('a request that breaks the contract', () => {
  test.each([
    ['a wrong type', '{"name":5}', json, ['/name']],
    ['a missing required field', '{}', json, ['/name']],
    ['an unknown field', '{"name":"a","constructor":1}', json, ['/constructor']],
    ['malformed JSON', '{"name":', json, ['request.body']],
    ['no body', '', json, ['request.body']],
    ['another media type', '{"name":"a"}', { 'content-type': 'text/plain' }, ['request.body']],
    ['an unknown content encoding', '{"name":"a"}', { ...json, 'content-encoding': 'x' }, ['request.body']],
  ])('is forwarded and reported: %s', async (_what, body, headers, places) => {
    const mock = await startForwarding(await serveJson(201, WAREHOUSE_1));
    const answer = await mock.ask('POST', WAREHOUSE, body, headers);
    expect([answer.status, JSON.parse(String(answer.body))]).toEqual([201, WAREHOUSE_1]);
    expect(placesOf(mock)).toEqual(places);
  });

  test('by a readonly field is reported if the profile rejects it', async () => {
    const mock = await startBeforeMock({ 'request.readonlyFields': 'reject' });
    await mock.ask('POST', WAREHOUSE, '{"name":"a","id":4}', json);
    expect(told(mock)).toEqual(['/id: is readonly and must not be sent']);
  });

  test('by its path, its query or its credentials is reported at that place', async () => {
    const mock = await startBeforeMock({ auth: 'bearer' });
    await mock.ask('GET', `${WAREHOUSE}/x`);
    expect(placesOf(mock)).toEqual(['request', 'request.path.id']);
    await mock.ask('GET', `${WAREHOUSE}?limit=x`, '', { authorization: 'Bearer abc' });
    expect(placesOf(mock)).toEqual(['limit']);
  });

  test('by asking for what is not in the document is reported', async () => {
    const mock = await startBeforeMock();
    await mock.ask('PUT', `${WAREHOUSE}/1`);
    expect(placesOf(mock)).toEqual(['request']);
  });

  test('with a path that can not be read passes all the same, once', async () => {
    const seen: unknown[] = [];
    const mock = await startForwarding(
      await serve(({ url }, response) => {
        seen.push(url);
        response.end();
      }),
    );
    const answer = await mock.ask('GET', `${WAREHOUSE}/%zz`);
    expect([answer.status, seen]).toEqual([200, [`${WAREHOUSE}/%zz`]]);
    expect(placesOf(mock)).toContain('request.path.id');
  });
});

/** An answer as it comes back from a service. */
function answerOf(status: number, body: unknown): Forwarded {
  const headers = { 'content-type': 'application/json', 'x-total-count': '1' };
  const reply = { status, headers, body: JSON.stringify(body) };
  return { reply, headers, content: { kind: 'value', value: body } };
}

async function violationsOf(
  check: ReturnType<typeof createExchangeCheck>,
  method: string,
  target: string,
  answer: Forwarded,
) {
  const body = method === 'POST' ? Buffer.from('{}') : undefined;
  const request = { method, target, headers: { 'content-type': 'application/json' }, body };
  const { violations } = await check(request, () => Promise.resolve(answer));
  return violations.flatMap((one) =>
    'location' in one && one.location.startsWith('response') ? one.message : [],
  );
}

/** Returns the places of the violations of the last exchange. */
function placesOf({ exchanges }: ForwardingMock): string[] {
  return (exchanges.at(-1)?.violations ?? []).map(({ message: _, ...at }) => Object.values(at).join());
}
