import { afterEach, describe, expect, test } from 'vitest';
import { generateDocument } from '../../generator/generate.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import {
  type Answered,
  serve,
  serveJson,
  startBeforeMock,
  startProxy,
  stopAll,
  told,
  WAREHOUSE_1,
} from '../../testing/proxies/proxies.ts';
import { type CheckExchange, createExchangeCheck } from './exchange-check.ts';
import type { Forwarded } from './forward.ts';
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

afterEach(stopAll);

const WAREHOUSE = '/api/model/warehouse';
const json = { 'content-type': 'application/json' };

// Prism takes a schema that does not compile for one that everything fits.
describe('every operation of the document', () => {
  const profile = createProfile({}, catalogue);
  const { components, paths } = generateDocument({ catalogue, profile, references });
  const checking = createExchangeCheck({ catalogue, profile, references }, 1000);
  test.each([...catalogue.models.values()].map((model) => [model.name, model] as const))(
    'takes a record of %s as answer and nothing else',
    async (name, model) => {
      const check = await checking;
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

  test('has a body that is checked where it takes one', async () => {
    const check = await checking;
    for (const model of catalogue.models.values())
      for (const operation of ['create', 'update'] as const) {
        if (!model.operations.includes(operation)) continue;
        const target = `${catalogue.base}/${model.name}${operation === 'update' ? '/1' : ''}`;
        const headers = { 'content-type': 'application/json' };
        const request = { method: 'POST', target, headers, body: Buffer.from('{"no such field":1}') };
        const { violations } = await check(request, () => Promise.resolve(answerOf(200, {})));
        expect(violations).toContainEqual(
          expect.objectContaining({
            location: ['request', 'body', 'no such field'],
            code: 'additionalProperties',
          }),
        );
      }
  });
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

describe('a request that breaks the contract', () => {
  test.each([
    ['a wrong type', '{"name":5}', json, ['request.body.name']],
    ['a missing required field', '{}', json, ['request.body']],
    ['an unknown field', '{"name":"a","constructor":1}', json, ['request.body.constructor']],
    ['malformed JSON', '{"name":', json, ['request.body']],
    ['a list', '[]', json, ['request.body']],
    ['no body', '', json, ['request']],
    ['another media type', '{"name":"a"}', { 'content-type': 'text/plain' }, ['request']],
    ['a type that is none', '{"name":"a"}', { 'content-type': ';;;' }, ['request']],
    ['no media type', '{"name":"a"}', {}, ['request']],
    ['an unknown content encoding', '{"name":"a"}', { ...json, 'content-encoding': 'x' }, ['request.body']],
  ])('is forwarded and reported: %s', async (_what, body, headers, places) => {
    const proxy = await startProxy(await serveJson(201, WAREHOUSE_1));
    const answer = await proxy.ask('POST', WAREHOUSE, body, headers);
    expect([answer.status, JSON.parse(String(answer.body))]).toEqual([201, WAREHOUSE_1]);
    expect(placesOf(answer)).toEqual(places);
  });

  test('by a readonly field is an error only where the profile says that it is refused', async () => {
    for (const [setting, severity] of [
      ['ignore', 'Warning'],
      ['reject', 'Error'],
    ]) {
      const proxy = await startBeforeMock({ 'request.readonlyFields': setting });
      await proxy.ask('POST', WAREHOUSE, '{"name":"a","id":4}', json);
      expect(told(proxy)).toEqual([expect.stringMatching(`^${severity} request.body.id: .* is readonly`)]);
    }
  });

  test('by its path, its query or its credentials is reported at that place', async () => {
    const proxy = await startBeforeMock({ auth: 'bearer' });
    expect(placesOf(await proxy.ask('GET', `${WAREHOUSE}/x`))).toEqual(['request', 'request.path.id']);
    const known = { authorization: 'Bearer abc' };
    expect(placesOf(await proxy.ask('GET', `${WAREHOUSE}?limit=x`, '', known))).toEqual([
      'request.query.limit',
    ]);
  });

  test('by asking for what is not in the document gets a warning', async () => {
    const proxy = await startBeforeMock();
    for (const [method, path] of [
      ['GET', '/api/model/nope'],
      ['PUT', `${WAREHOUSE}/1`],
      ['GET', '/'],
    ] as const)
      expect((await proxy.ask(method, path)).said).toMatchObject([{ severity: 'Warning' }]);
    expect(proxy.exchanges.map(({ operation }) => operation)).toEqual([undefined, undefined, undefined]);
  });

  test('with a path that can not be read passes all the same, once', async () => {
    const seen: unknown[] = [];
    const proxy = await startProxy(
      await serve(({ url }, response) => {
        seen.push(url);
        response.end();
      }),
    );
    const answer = await proxy.ask('GET', `${WAREHOUSE}/%zz`);
    expect([answer.status, seen]).toEqual([200, [`${WAREHOUSE}/%zz`]]);
    expect(told(proxy)).toEqual([expect.stringContaining('could not be checked')]);
  });
});

/** An answer as it comes back from a service. */
function answerOf(status: number, body: unknown): Forwarded {
  const headers = { 'content-type': 'application/json', 'x-total-count': '1' };
  const reply = { status, headers, body: JSON.stringify(body) };
  return { reply, headers, content: { kind: 'value', value: body } };
}

async function violationsOf(check: CheckExchange, method: string, target: string, answer: Forwarded) {
  const sent = method === 'POST' ? { body: Buffer.from('{}') } : {};
  const request = { method, target, headers: { 'content-type': 'application/json' }, ...sent };
  const { violations } = await check(request, () => Promise.resolve(answer));
  return violations.filter(({ location }) => location[0] === 'response').map(({ message }) => message);
}

/** The places of all violations that the header of an answer names. */
function placesOf({ said }: Answered): string[] {
  return said.map(({ location }) => location.join('.'));
}
