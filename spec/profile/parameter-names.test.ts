import { describe, expect, test } from 'vitest';
import { useProfileFile } from '../../testing/input-files/profile-file.ts';

const { complaint, load } = useProfileFile();

describe('the names of list parameters', () => {
  test.each(['$limit', 'per_page', 'page[number]', 'filter.page'])('may be %s', (name) => {
    const paging = load(`list.paging: { style: page, size: "${name}" }`)['list.paging'];
    expect(paging).toMatchObject({ size: name });
  });

  test.each(['a b', 'a&b', '[x]', 'a[b][c]', '1', `a${'b'.repeat(48)}`])('may not be %s', (name) => {
    expect(complaint(`list.paging: { style: page, size: "${name}" }`)).toContain(
      'size of list.paging must be a name of letters, digits, - . _ $, and at most one part in brackets at the end, but is "',
    );
  });
});

describe('a name that means two things at once is refused', () => {
  test.each<[string, string]>([
    [
      'list.paging: { style: offset, from: limit }',
      'from of list.paging and size of list.paging use the same query parameter "limit". Use different names.',
    ],
    [
      'list.sort: field offset',
      'from of list.paging and list.sort use the same query parameter "offset". Use different names.',
    ],
    [
      'version: query sort',
      'list.sort and version use the same query parameter "sort". Use different names.',
    ],
    [
      '{ version: header x-api-key, auth: header X-API-Key }',
      'auth and version use the same header "x-api-key". Use different names.',
    ],
    [
      'version: header Authorization',
      `version can't be "Authorization" because that header is reserved. Use another name.`,
    ],
    ['auth: header HOST', `auth can't be "HOST" because that header is reserved. Use another name.`],
    ...['Access-Control-Allow-Origin', 'Vary', 'sl-violations'].map((name): [string, string] => [
      `response.total: header ${name}`,
      `response.total can't be "${name}" because that header is reserved. Use another name.`,
    ]),
    ...['Range', 'If-None-Match', 'Proxy-Authorization'].map((name): [string, string] => [
      `version: header ${name}`,
      `version can't be "${name}" because that header is reserved. Use another name.`,
    ]),
  ])('%s', (text, expected) => {
    expect(complaint(text)).toContain(expected);
  });

  test.each([
    ['the version in a header', 'version: header sort'],
    ['the version in the query, and a header', '{ version: query X-API-Key, auth: header X-API-Key }'],
    ['the header of another scheme', 'auth: header Authorization'],
    ['a header of a service itself', 'version: header Accept-Version'],
    ['parameters in another case', 'list.paging: { style: offset, from: Limit }'],
  ])('but not %s, which means nothing then', (_name, text) => {
    expect(complaint(text)).toBe('no complaint');
  });
});
