import { describe, expect, test } from 'vitest';
import { useProfileFile } from '../../testing/input-files/profile-file.ts';

const { complaint, load } = useProfileFile();

describe('the names of list parameters', () => {
  test.each(['limit', '$limit', '$skip', 'per_page', 'page[number]', 'page[size]', 'filter.page'])(
    'may be %s',
    (name) => {
      expect(load(`list.sizeParameter: "${name}"`)['list.sizeParameter']).toBe(name);
    },
  );

  test.each(['a b', 'a&b', 'a=b', '[x]', 'a[b', 'a[]', 'a[b][c]', '1', 'a[b]c', `a${'b'.repeat(48)}`])(
    'may not be %s',
    (name) => {
      expect(complaint(`list.sizeParameter: "${name}"`)).toContain('expected a name of letters, digits');
    },
  );
});

describe('a name that means two things at once is refused', () => {
  test.each<[string, string]>([
    [
      'list: { offsetParameter: limit }',
      'list.offsetParameter and list.sizeParameter are both the query parameter "limit"',
    ],
    [
      'list: { paging: page, pageParameter: n, sizeParameter: n }',
      'list.pageParameter and list.sizeParameter are both',
    ],
    [
      'list: { sortParameter: offset }',
      'list.offsetParameter and list.sortParameter are both the query parameter "offset"',
    ],
    [
      'list: { sortParameter: limit }',
      'list.sizeParameter and list.sortParameter are both the query parameter "limit"',
    ],
    [
      'version: { in: query, name: sort }',
      'list.sortParameter and version.name are both the query parameter "sort"',
    ],
    [
      'version: { in: query, name: limit }',
      'list.sizeParameter and version.name are both the query parameter "limit"',
    ],
    [
      '{ version: { in: header, name: x-api-key }, auth.scheme: apiKey }',
      'auth.header and version.name are both the header "x-api-key"',
    ],
    [
      'version: { in: header, name: Authorization }',
      'version.name is "Authorization", a header with a meaning of its own',
    ],
    ['version: { in: header, name: accept }', 'version.name is "accept", a header'],
    ['auth: { scheme: apiKey, header: Content-Type }', 'auth.header is "Content-Type", a header'],
    ['auth: { scheme: apiKey, header: HOST }', 'auth.header is "HOST", a header'],
    ['response.totalHeader: Content-Length', 'response.totalHeader is "Content-Length", a header'],
    ...['Access-Control-Allow-Origin', 'Allow', 'Vary', 'ETag', 'Proxy-Authenticate', 'sl-violations'].map(
      (name): [string, string] => [
        `response.totalHeader: ${name}`,
        `response.totalHeader is "${name}", a header with a meaning of its own; expected another name`,
      ],
    ),
    ...[
      'Range',
      'If-None-Match',
      'Proxy-Authorization',
      'User-Agent',
      'Sec-Fetch-Mode',
      'Via',
      'Referer',
      'Cache-Control',
      'FORWARDED',
      'access-control-request-method',
      'Content-Language',
      'Max-Forwards',
    ].map((name): [string, string] => [
      `version: { in: header, name: ${name} }`,
      `version.name is "${name}", a header with a meaning of its own; expected another name`,
    ]),
  ])('%s', (text, expected) => {
    expect(complaint(text)).toContain(expected);
    expect(complaint(text)).toContain('expected');
  });

  test.each([
    ['the offset of paging by page', 'list: { paging: page, offsetParameter: limit }'],
    ['the page of paging by offset', 'list: { pageParameter: limit }'],
    ['parameters of no paging', 'list: { paging: none, offsetParameter: sort, sizeParameter: sort }'],
    ['the sort of no sorting', 'list: { sort: none, sortParameter: limit }'],
    ['the version in a header', 'version: { in: header, name: sort }'],
    ['the version nowhere', 'version.name: sort'],
    [
      'the version in the query, and a header',
      '{ version: { in: query, name: X-API-Key }, auth.scheme: apiKey }',
    ],
    ['the header of another scheme', 'auth: { scheme: bearer, header: Authorization }'],
    ['a header of a service itself', 'version: { in: header, name: Accept-Version }'],
    ['a header that begins like one', 'response.totalHeader: Second-Count'],
    ['parameters in another case', 'list: { offsetParameter: Limit }'],
    ['the total elsewhere', 'response: { total: none, totalHeader: Content-Length }'],
  ])('but not %s, which means nothing then', (_name, text) => {
    expect(complaint(text)).toBe('no complaint');
  });
});
