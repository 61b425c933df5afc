import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { loadContract } from '../../spec/contract.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { generateDocument } from '../generate.ts';
import { diffDocuments } from './diff.ts';

const contract = loadContract();
const selection = { models: ['brand', 'stockOrder'] };
const base = generateDocument(contract, { selection });

type Edit = readonly [pointer: string, to: unknown];
type Members = Record<string, unknown>;

/** Returns the lines of `diff` after an edit. `undefined` removes a value; a function computes the new one. */
function told([pointer, to]: Edit): string[] {
  const after: Members = { ...structuredClone(base) };
  const steps = pointer.split(' ');
  const name = steps.pop() ?? '';
  const at = steps.reduce((inner, step) => inner[step] as Members, after);
  if (to === undefined) delete at[name];
  else at[name] = typeof to === 'function' ? to(at[name]) : to;
  return said(base, after);
}

/** The lines of `diff`, with a mark at breaking changes. */
const said = (...documents: Parameters<typeof diffDocuments>) =>
  diffDocuments(...documents).map(({ breaking, place, what }) => `${breaking ? '! ' : ''}${place}: ${what}`);

const add = (more: unknown) => (list: readonly unknown[]) => [...list, more];
const drop = (gone: unknown) => (list: readonly unknown[]) => list.filter((one) => one !== gone);
const [ORDERS, SCHEMAS] = ['paths /api/model/stockOrder', 'components schemas'];
const QUERY = { name: 'club', in: 'query', schema: {} };

it('a document does not differ from itself, nor in a breaking way from its OpenAPI 3.0 version', () => {
  expect(diffDocuments(base, structuredClone(base))).toEqual([]);
  const twin = generateDocument(contract, { selection, openapi: '3.0' });
  expect(diffDocuments(base, twin).filter(({ breaking }) => breaking)).toEqual([]);
  expect(diffDocuments(twin, base).filter(({ breaking }) => breaking)).toEqual([]);
});

test.each<[Edit, ...string[]]>([
  [[`${ORDERS} post`, undefined], '! createStockOrder: is removed (POST /api/model/stockOrder)'],
  [[`${ORDERS} patch`, { operationId: 'x' }], 'x: is new (PATCH /api/model/stockOrder)'],
  [
    [`${ORDERS} get parameters`, add({ ...QUERY, required: true })],
    '! listStockOrder query club: is new and required',
  ],
  [
    [`${ORDERS} post responses`, ({ 201: created, ...others }: Members) => ({ ...others, 200: created })],
    '! createStockOrder 200: is also returned now',
    '! createStockOrder 201: is no longer returned',
  ],
  [
    [`${SCHEMAS} StockOrderCreate required`, add('comments')],
    '! StockOrderCreate (request)/comments: is required now',
  ],
  [[`${SCHEMAS} StockOrder required`, drop('created')], '! StockOrder (response)/created: is optional now'],
  [[`${SCHEMAS} StockOrder properties comments`, undefined], '! StockOrder (response)/comments: is removed'],
  [
    [`${SCHEMAS} StockOrderCreate properties comments`, undefined],
    'StockOrderCreate (request)/comments: is removed',
  ],
  [
    [`${SCHEMAS} StockOrder properties supplier type`, ['string', 'integer', 'null']],
    '! StockOrder (response)/supplier: type integer or null → string or integer or null',
  ],
  [
    [`${SCHEMAS} StockOrderStatus enum`, add(7)],
    '! StockOrderStatus (response): values added: 7',
    'StockOrderStatus (request): values added: 7',
  ],
  [
    [`${SCHEMAS} StockOrderStatus enum`, drop(3)],
    'StockOrderStatus (response): values removed: 3',
    '! StockOrderStatus (request): values removed: 3',
  ],
  [[`${SCHEMAS} BrandUpdate propertyNames enum`, drop('id')], '! BrandUpdate (request)/id: is rejected now'],
  [
    [`${SCHEMAS} BrandCreate properties name maxLength`, 3],
    '! BrandCreate (request)/name: maxLength none → 3',
  ],
  [['security', [{ a: [] }]], '! security: requires other credentials now'],
  [[`${ORDERS} get description`, 'Other words.']],
])('the difference of two documents after %j is %j', (edit, ...expected) => {
  expect(told(edit).toSorted()).toEqual(expected.toSorted());
});

it('the difference of two profiles names their settings and the effects', () => {
  const other = createProfile({ 'response.unset': 'absent', 'status.created': 200 }, contract.catalogue);
  const changes = diffDocuments(base, generateDocument({ ...contract, profile: other }, { selection }));
  expect(changes).toContainEqual({
    place: 'response.unset',
    what: 'null → absent',
    breaking: false,
    isSetting: true,
  });
  expect(changes).toContainEqual({
    place: 'Brand (response)/created',
    what: 'is optional now',
    breaking: true,
  });
});

it('diff accepts documents of any shape, and circular references', () => {
  const circle = { $ref: '#/components/schemas/A' };
  const round = {
    paths: { '/a': { get: { responses: { 200: { content: { j: { schema: circle } } } } } } },
    components: {
      schemas: {
        A: { properties: { a: circle, b: { $ref: '#/components/schemas/B' } } },
        B: { $ref: '#/components/schemas/B' },
      },
    },
  };
  expect(diffDocuments(round, round)).toEqual([]);
  const json = fc
    .jsonValue({ maxDepth: 4 })
    .map((value) => ({ ...round, paths: value, info: value, security: value }));
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(diffDocuments(one, one)).toEqual([]);
      expect(diffDocuments(one, other)).toBeInstanceOf(Array);
    }),
    { seed: 7, numRuns: 200 },
  );
});

describe('the difference of two documents', () => {
  /** A document with one operation. */
  const small = ({ headers, operation, ...parts }: Members, schema: unknown = {}, path = '/a/{id}') => ({
    ...parts,
    paths: {
      [path]: {
        get: {
          operationId: 'a',
          parameters: [{ name: path.slice(4, -1), in: 'path', required: true, schema: {} }],
          requestBody: { content: { json: { schema } } },
          responses: { 200: { headers, content: { json: { schema } } } },
          ...(operation as object),
        },
      },
    },
  });
  const key = (name: string) => ({
    components: { securitySchemes: { k: { type: 'apiKey', in: 'header', name, description: name } } },
  });
  const [A, B] = [{ a: [] }, { b: [] }];

  test.each<[Members, Members, string[]]>([
    [key('X-A'), key('X-B'), ['! securitySchemes k: name X-A → X-B']],
    [
      { servers: [{ url: '/v1', description: 'One.' }] },
      { servers: [{ url: '/v2' }] },
      ['! servers: /v1 is removed', 'servers: /v2 is new'],
    ],
    [{ headers: { ETag: {} } }, {}, ['! a 200 header etag: is removed']],
    [
      { operation: { security: [] } },
      { operation: { security: [A] } },
      ['! a: requires other credentials now'],
    ],
    [{ security: [A] }, { security: [A, B] }, ['security: also accepts other credentials now']],
    [{ security: [A] }, { security: [A, {}] }, ['security: requires no credentials now']],
    [
      { security: [{ a: ['x'] }] },
      { security: [{ a: ['x', 'y'] }] },
      ['! security: requires other credentials now'],
    ],
    [{ operation: { callbacks: {} } }, {}, ['! a: callbacks {} → none']],
    [{ info: { title: 'a' }, tags: [1] }, { info: { title: 'b' } }, []],
  ])('between %j and %j is %j', (before, after, expected) => {
    expect(said(small(before), small(after))).toEqual(expected);
  });

  test.each<[unknown, unknown, number]>([
    [{ oneOf: [{ type: 'string' }, { type: 'null' }] }, { oneOf: [{ type: 'string' }] }, 2],
    [{ const: 'a' }, { const: 'b' }, 4],
    [{ additionalProperties: { type: 'string' } }, { additionalProperties: { type: 'integer' } }, 2],
    [{ $ref: '#/x' }, { $ref: '#/x', maxLength: 3 }, 2],
    [{ $ref: 'a.yaml' }, { $ref: 'b.yaml' }, 2],
    [{ hue: 1 }, { hue: 2 }, 2],
    [{ not: { properties: { title: {} } } }, { not: { properties: {} } }, 2],
    [{ enum: [{ a: 1 }] }, { enum: [{ a: 1 }] }, 0],
    [{ oneOf: [{ title: 'a' }] }, { oneOf: [{ title: 'b' }] }, 0],
  ])('between the schemas %j and %j has %i changes', (before, after, count) => {
    const changes = diffDocuments(small({}, before), small({}, after));
    expect(changes).toHaveLength(count);
    expect(changes.some(({ breaking }) => breaking)).toBe(count > 0);
  });

  it('reports each place with a wrapped reference, and ends in circular ones', () => {
    const wrapped = (more: object) => ({ allOf: [{ $ref: '#/components/schemas/A' }], ...more });
    const both = (more: object) => ({ properties: { a: wrapped(more), b: wrapped(more) } });
    const parts = (schema: unknown) => ({ components: { schemas: { A: schema } } });
    const text = parts({ type: 'string' });
    expect(said(small(text, both({})), small(text, both({ minLength: 2 })))).toEqual([
      '! a body request/a: minLength none → 2',
      '! a body request/b: minLength none → 2',
      'a 200 response/a: minLength none → 2',
      'a 200 response/b: minLength none → 2',
    ]);
    const circle = parts(both({}));
    expect(said(small(circle, wrapped({})), small(circle, wrapped({})))).toEqual([]);
  });

  it('matches a path parameter by its position, not its name', () => {
    expect(said(small({}), small({}, {}, '/a/{key}'))).toEqual(['a path key: was called id']);
  });

  it('reports each change of an unknown keyword, and no other', () => {
    const words = fc.dictionary(
      fc.constantFrom('not', 'if', 'hue', 'discriminator'),
      fc.jsonValue({ maxDepth: 2 }),
    );
    fc.assert(
      fc.property(words, words, (one, other) => {
        const changes = diffDocuments(small({}, one), small({}, other));
        expect(changes.some(({ breaking }) => breaking)).toBe(JSON.stringify(changes) !== '[]');
        for (const word of ['not', 'if', 'hue', 'discriminator'])
          if (Object.hasOwn(one, word) !== Object.hasOwn(other, word)) expect(changes).not.toEqual([]);
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});
