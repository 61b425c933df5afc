import { describe, expect, test } from 'vitest';
import type { Field } from '../../spec/catalogue/field.ts';
import { problem } from '../../testing/mocks/control.ts';
import { catalogue, few, startMock, violationsOf } from '../../testing/mocks/mocks.ts';
import { WAREHOUSE_1 } from '../../testing/mocks/use-forwarding.ts';
import { expectTranscript } from '../../testing/transcripts/transcripts.ts';

for (const name of ['bodies', 'lists', 'requests', 'writes']) expectTranscript(import.meta.dirname, name);

const many = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name${index}`, value]));
const lines = Array.from({ length: 200 }, () => ({ units: 'many', unknown: 1 }));
const query = Array.from({ length: 300 }, (_, index) => `name${index}=1`).join('&');

test.each([
  ['excessive nesting', {}, `{"name":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
  ['excessive nesting and no end', {}, '['.repeat(500_000)],
  [
    'too many values',
    { 'request.encoding': 'form' },
    Array.from({ length: 3000 }, (_, i) => `tags[]=${i}`).join('&'),
  ],
])('a body with %s is rejected', async (_, settings, sent) => {
  const { ask } = await startMock(settings);
  expect((await ask('POST', '/customer', sent)).status).toBe(400);
  expect((await ask('GET', '/customer')).body).toEqual([]);
});

test('a body is rejected if it is missing, is not UTF-8, or has no media type', async () => {
  const { mock } = await startMock();
  const json = { 'content-type': 'application/json; charset=utf-8' };
  for (const [headers, body] of [
    [json, Buffer.from('{"name":"\xff"}', 'latin1')],
    [{}, Buffer.from('{}')],
    [json, undefined],
  ] as const) {
    const { status } = await mock.answer({ method: 'POST', target: '/api/model/warehouse', headers, body });
    expect(status).toBe(400);
  }
});

test('a body with a list that is too long to compare is rejected', async () => {
  const { ask } = await startMock({ 'types.manyToMany': 'objects' });
  const tags = Array.from({ length: 60_000 }, (_, id) => ({ id }));
  const answer = await ask('POST', '/customer', { tags });
  expect(violationsOf(answer)).toContain('/tags must have at most 2000 items, but has 60000');
});

test('a body with long strings is checked quickly', async () => {
  const { ask } = await startMock();
  const long = 'a'.repeat(900_000);
  for (const sent of [
    { email: `a@${long}` },
    { web: `https://${long}` },
    { email: `${long}@` },
    { name: long },
  ])
    expect((await ask('POST', '/supplier', sent)).status).toBe(422);
}, 5000);

describe.each<Record<string, unknown>>([{}, { 'request.references': 'reject' }])('under %j', (settings) => {
  test.each([
    ['unknown fields', 'POST', '/warehouse', many(90_000)],
    ['unknown parameters', 'GET', `/warehouse?${query}`, undefined],
    ['lines', 'POST', '/stockOrder', { lines }],
    ['unknown parameters and fields', 'POST', `/warehouse?${query}`, many(300)],
  ])('the response to %s has at most 100 violations', async (_, method, path, sent) => {
    const { ask, mock } = await startMock(settings, { bodyLimit: 4_000_000 });
    const answer = await ask(method, path, sent);
    expect(answer.status).toBe(422);
    expect(violationsOf(answer).length).toBeLessThanOrEqual(100);
    const [seen] = await mock.requests();
    expect(seen?.violations?.length).toBeLessThanOrEqual(100);
  });
});

test('at most 100 ignored fields are logged, and none of them changes the record', async () => {
  const { ask, create, mock } = await startMock({ 'request.unknownFields': 'ignore' });
  const made = await create('warehouse', { ...many(200), name: 'a' });
  expect((await ask('GET', `/warehouse/${made.id}`)).body).toMatchObject({ name: 'a' });
  expect((await mock.requests())[0]?.ignored).toHaveLength(100);
});

test('a create responds with the complete record and its location', async () => {
  const { ask } = await startMock();
  const { body, headers } = await ask('POST', '/warehouse', { name: 'Tienda' });
  expect(body).toEqual({ ...WAREHOUSE_1, name: 'Tienda' });
  expect(headers.location).toBe('/api/model/warehouse/1');
});

test('an error has the type and title of its status', async () => {
  const { ask } = await startMock();
  const problem = { type: 'about:blank', title: 'Unprocessable Content', status: 422 };
  expect((await ask('POST', '/warehouse', {})).body).toMatchObject(problem);
});

test('an exception in the mock leads to a 500 without its message', async () => {
  const told: unknown[] = [];
  let broken = false;
  const clock = () => {
    if (broken) throw new Error('secret');
    return new Date(0);
  };
  const { ask } = await startMock({}, { clock, onError: (error) => told.push(error) });
  broken = true;
  const answer = await ask('POST', '/warehouse', { name: 'a' });
  expect(answer.status).toBe(500);
  expect(JSON.stringify(answer.body)).not.toContain('secret');
  expect(told).toEqual([new Error('secret')]);
});

test('a list of more than 64 MiB is rejected, and a page of it is not', async () => {
  const comments = 'x'.repeat(1_000_000);
  const warehouse = Array.from({ length: 68 }, () => ({ name: 'a', comments }));
  const { ask } = await startMock({}, { requestLog: 0, fixtures: { warehouse } });
  expect(await ask('GET', '/warehouse')).toMatchObject(
    problem(507, /^The list has more than 64 MiB\. Request fewer records/),
  );
  const part = await ask('GET', '/warehouse?name=a&limit=2');
  expect(part).toMatchObject({ body: { length: 2 }, headers: { 'x-total-count': '68' } });
});

test('the document has the filter operators of the profile', async () => {
  for (const [filter, wanted] of [
    ['contains', ['contains']],
    ['brackets', ['gt', 'gte', 'lt', 'lte', 'in', 'null', 'contains']],
  ] as const) {
    const { mock } = await startMock({ 'list.filter': filter });
    const parameters = Object.values(mock.document.components.parameters ?? {});
    const operators = parameters.flatMap((one) =>
      'name' in one ? (/(?<=\[).*(?=\])/.exec(one.name) ?? []) : [],
    );
    expect(new Set(operators)).toEqual(new Set(wanted));
  }
});

/** Returns the few models, one of them changed. */
function change(name: string, changed: (fields: readonly Field[]) => object) {
  const model = catalogue.models.get(name);
  if (!model) throw new Error(`no model ${name}`);
  return {
    catalogue: { ...few, models: new Map(few.models).set(name, { ...model, ...changed(model.fields) }) },
  };
}

test('the status of a line changes only along its transitions when its parent is updated', async () => {
  const choices = [1, 2, 3].map((value) => ({ value, name: `state ${value}` }));
  const key = 'stockOrderLine.status';
  const status: Field = {
    ...{ name: 'status', key, type: 'select', choices },
    ...{ required: true, readonly: false, common: false },
  };
  const { ask, create } = await startMock(
    { transitions: { [key]: { 1: [2], 2: [3] } } },
    change('stockOrderLine', (fields) => ({ fields: [...fields, status] })),
  );
  const line = { product: 1, grossUnitCost: 1, amount: 1, discount: 0, status: 1 };
  await create('stockOrder', { globalDiscount: 0, status: 0, lines: [line, line] });
  const lines = [
    { ...line, id: 2, status: 3 },
    { ...line, status: 3 },
    { ...line, id: 1, status: 2 },
  ];
  const answer = await ask('POST', '/stockOrder/1', { lines });
  expect([answer.status, violationsOf(answer)]).toEqual([
    422,
    ["/lines/0/status can't change from 1 to 3. Allowed values: 1, 2"],
  ]);
  expect((await ask('POST', '/stockOrder/1', { lines: lines.slice(1) })).status).toBe(200);
});

test('a model without the field deleted removes records', async () => {
  const operations = ['retrieve', 'list', 'create', 'update', 'delete'];
  const { ask, create } = await startMock(
    {},
    change('subscriptionTask', () => ({ operations })),
  );
  await create('subscriptionTask', { type: 1 });
  expect((await ask('DELETE', '/subscriptionTask/1')).body).not.toHaveProperty('deleted');
  expect((await ask('GET', '/subscriptionTask/1')).status).toBe(404);
});
