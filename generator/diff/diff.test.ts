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

/**
 * Returns the lines of `diff` after edits, with a mark at breaking changes. `undefined` removes a value; a function
 * computes the new one.
 */
function told(edits: readonly Edit[]): string[] {
  const after: Members = { ...structuredClone(base) };
  for (const [pointer, to] of edits) {
    const steps = pointer.split(' ');
    const name = steps.pop() ?? '';
    const at = steps.reduce((inner, step) => inner[step] as Members, after);
    if (to === undefined) delete at[name];
    else at[name] = typeof to === 'function' ? to(at[name]) : to;
  }
  return diffDocuments(base, after).map(
    ({ breaking, place, what }) => `${breaking ? '! ' : ''}${place}: ${what}`,
  );
}

const add = (more: unknown) => (list: readonly unknown[]) => [...list, more];
const drop = (gone: unknown) => (list: readonly unknown[]) => list.filter((one) => one !== gone);
const [ORDERS, SCHEMAS] = ['paths /api/model/stockOrder', 'components schemas'];
const QUERY = { name: 'club', in: 'query', schema: {} };

describe('the difference of two documents', () => {
  it('is none of a document to itself, nor a breaking one to its twin in OpenAPI 3.0', () => {
    expect(diffDocuments(base, structuredClone(base))).toEqual([]);
    const twin = generateDocument(contract, { selection, openapi: '3.0' });
    expect(diffDocuments(base, twin).filter(({ breaking }) => breaking)).toEqual([]);
    expect(diffDocuments(twin, base).filter(({ breaking }) => breaking)).toEqual([]);
  });

  test.each<[string, Edit[], string[]]>([
    [
      'an operation less',
      [[`${ORDERS} post`, undefined]],
      ['! createStockOrder: is removed (POST /api/model/stockOrder)'],
    ],
    [
      'an operation more',
      [[`${ORDERS} patch`, { operationId: 'x' }]],
      ['x: is new (PATCH /api/model/stockOrder)'],
    ],
    [
      'a required parameter',
      [[`${ORDERS} get parameters`, add({ ...QUERY, required: true })]],
      ['! listStockOrder query club: is new and required'],
    ],
    [
      'another status',
      [
        [`${ORDERS} post responses 200`, base.paths['/api/model/stockOrder']?.post?.responses?.['201']],
        [`${ORDERS} post responses 201`, undefined],
      ],
      ['! createStockOrder 200: is also returned now', '! createStockOrder 201: is no longer returned'],
    ],
    [
      'a field that is asked for',
      [[`${SCHEMAS} StockOrderCreate required`, add('comments')]],
      ['! StockOrderCreate (request)/comments: is required now'],
    ],
    [
      'a field that may be missing',
      [[`${SCHEMAS} StockOrder required`, drop('created')]],
      ['! StockOrder (response)/created: is optional now'],
    ],
    [
      'a field less',
      [
        [`${SCHEMAS} StockOrder properties comments`, undefined],
        [`${SCHEMAS} StockOrderCreate properties comments`, undefined],
      ],
      ['! StockOrder (response)/comments: is removed', 'StockOrderCreate (request)/comments: is removed'],
    ],
    [
      'a wider type',
      [[`${SCHEMAS} StockOrder properties supplier type`, ['string', 'integer', 'null']]],
      ['! StockOrder (response)/supplier: type integer or null → string or integer or null'],
    ],
    [
      'a value more',
      [[`${SCHEMAS} StockOrderStatus enum`, add(7)]],
      ['! StockOrderStatus (response): values added: 7', 'StockOrderStatus (request): values added: 7'],
    ],
    [
      'a value less',
      [[`${SCHEMAS} StockOrderStatus enum`, drop(3)]],
      ['StockOrderStatus (response): values removed: 3', '! StockOrderStatus (request): values removed: 3'],
    ],
    [
      'a name that is refused',
      [[`${SCHEMAS} BrandUpdate propertyNames enum`, drop('id')]],
      ['! BrandUpdate (request)/id: is rejected now'],
    ],
    [
      'a limit',
      [[`${SCHEMAS} BrandCreate properties name maxLength`, 3]],
      ['! BrandCreate (request)/name: maxLength none → 3'],
    ],
    ['credentials', [['security', [{ a: [] }]]], ['! security: requires other credentials now']],
    ['nothing of other words', [[`${ORDERS} get description`, 'Other words.']], []],
  ])('says %s', (_what, edits, expected) => {
    expect(told(edits).toSorted()).toEqual(expected.toSorted());
  });

  it('names the settings of two profiles, and what they do', () => {
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

  it('takes documents of any shape, and circles', () => {
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
});
