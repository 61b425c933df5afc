import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { diffDocuments } from './diff.ts';

type Members = Record<string, unknown>;

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
  const said = (before: Members, after: Members) =>
    diffDocuments(before, after).map(
      ({ breaking, place, what }) => `${breaking ? '! ' : ''}${place}: ${what}`,
    );
  const key = (name: string) => ({
    components: { securitySchemes: { k: { type: 'apiKey', in: 'header', name, description: name } } },
  });
  const [A, B] = [{ a: [] }, { b: [] }];

  test.each<[string, Members, Members, string[]]>([
    ['a scheme', key('X-A'), key('X-B'), ['! securitySchemes k: name X-A → X-B']],
    [
      'another server',
      { servers: [{ url: '/v1', description: 'One.' }] },
      { servers: [{ url: '/v2' }] },
      ['! servers: /v1 is removed', 'servers: /v2 is new'],
    ],
    ['a header less', { headers: { ETag: {} } }, {}, ['! a 200 header etag: is removed']],
    [
      'credentials of one operation',
      { operation: { security: [] } },
      { operation: { security: [A] } },
      ['! a: requires other credentials now'],
    ],
    [
      'a way in more',
      { security: [A] },
      { security: [A, B] },
      ['security: also accepts other credentials now'],
    ],
    ['a way in for all', { security: [A] }, { security: [A, {}] }, ['security: requires no credentials now']],
    [
      'scopes more',
      { security: [{ a: ['x'] }] },
      { security: [{ a: ['x', 'y'] }] },
      ['! security: requires other credentials now'],
    ],
    ['a callback', { operation: { callbacks: {} } }, {}, ['! a: callbacks {} → none']],
    ['nothing of words for people', { info: { title: 'a' }, tags: [1] }, { info: { title: 'b' } }, []],
  ])('says %s', (_what, before, after, expected) => {
    expect(said(small(before), small(after))).toEqual(expected);
  });

  test.each<[string, unknown, unknown, number]>([
    ['a variant less', { oneOf: [{ type: 'string' }, { type: 'null' }] }, { oneOf: [{ type: 'string' }] }, 2],
    ['another constant', { const: 'a' }, { const: 'b' }, 4],
    [
      'other free fields',
      { additionalProperties: { type: 'string' } },
      { additionalProperties: { type: 'integer' } },
      2,
    ],
    ['a limit beside a reference', { $ref: '#/x' }, { $ref: '#/x', maxLength: 3 }, 2],
    ['a reference to elsewhere', { $ref: 'a.yaml' }, { $ref: 'b.yaml' }, 2],
    ['a word nobody knows', { hue: 1 }, { hue: 2 }, 2],
    [
      'a field called as a harmless word',
      { not: { properties: { title: {} } } },
      { not: { properties: {} } },
      2,
    ],
    ['values that are objects', { enum: [{ a: 1 }] }, { enum: [{ a: 1 }] }, 0],
    ['variants in other words', { oneOf: [{ title: 'a' }] }, { oneOf: [{ title: 'b' }] }, 0],
  ])('tells of a schema %s', (_what, before, after, count) => {
    const changes = diffDocuments(small({}, before), small({}, after));
    expect(changes).toHaveLength(count);
    expect(changes.some(({ breaking }) => breaking)).toBe(count > 0);
  });

  it('tells of each place where a reference is wrapped, and ends in circles of such', () => {
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

  it('takes a parameter of the path by its place, whatever it is called', () => {
    expect(said(small({}), small({}, {}, '/a/{key}'))).toEqual(['a path key: was called id']);
  });

  it('tells every change of a word that it does not know, and of none but those', () => {
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
