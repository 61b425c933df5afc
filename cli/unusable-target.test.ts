import { describe, expect, test } from 'vitest';
import { serve } from '../testing/services/http-server.ts';
import { endWith, useCommand, WITH_DEFAULTS } from '../testing/use-command.ts';

const { closing, readResults, run } = useCommand();
describe('an unusable target', () => {
  test('that hangs ends check with exit code 3 and the reason, with and without a profile', async () => {
    const { url } = closing(await serve(() => {}));
    const args = ['check', url, '--timeout', '300', '--models', 'brand,subscriptionTask'];
    for (const ended of await Promise.all([run(...args), run(...args, ...WITH_DEFAULTS)])) {
      expect(ended.code).toBe(3);
      expect(ended.stdout + ended.stderr).toMatch(
        /can't be reached: GET \S+: no response within 300 ms\. If the service is slow, pass --concurrency 1/,
      );
      expect(ended.stderr).not.toMatch(/\n\s+at /);
    }
  });

  test('whose responses contain no records is reported, and no baseline is written', async () => {
    const served = closing(
      await serve((_, response) => {
        response.setHeader('content-type', 'application/json').end(`{"id":${'9'.repeat(400)}}`);
      }),
    );
    const files = ['--json', 'results.json', '--write-baseline', 'known.yaml'];
    const { code, stderr } = await run('check', served.url, ...files, '--models', 'brand');
    expect({ code, stderr }).toMatchObject(
      endWith(
        1,
        /contain no records[\s\S]*^No baseline was written to known\.yaml, because the responses contain no records/m,
      ),
    );
    expect(readResults('results.json').cases).toMatchObject([
      { id: 'operations.list:brand', outcome: 'fail' },
    ]);
  });

  test.each<[string, Parameters<typeof serve>[0], RegExp, string?]>([
    [
      'the base URL has the path of a model',
      (request, response) => response.writeHead(request.url?.split('/api/model')[2] ? 404 : 200).end('[]'),
      /^record-model: GET \S+ returned 404\. The base URL contains \/api\/model, .* Pass http:\/\/127\.0\.0\.1:\d+ as the base URL\.$/m,
      '/api/model/brand',
    ],
    [
      'it redirects to another base URL',
      ({ url }, response) =>
        response.writeHead(308, { location: `https://me:s3cret@api.example.com/v1${url}` }).end(),
      /returned 308 and redirects to https:\/\/api\.example\.com\/v1\/api\/model\/\w+\S*\. Redirects are not followed\. Pass https:\/\/api\.example\.com\/v1 as the base URL/,
    ],
    [
      'the service does not accept the hostname',
      (_, response) => response.writeHead(421).end(),
      /^record-model: GET \S+ returned 421 .* does not accept the hostname 127\.0\.0\.1\./m,
    ],
    [
      'each list is forbidden',
      (_, response) => response.writeHead(403).end('{}'),
      /^record-model: The service returned 403 to the list of each of 53 models\. Pass credentials that can read/m,
    ],
    [
      'no list exists',
      (_, response) => response.writeHead(404).end('{}'),
      /^record-model: The service returned 404 to the list of each of 53 models, such as GET \S+\/api\/model\/\w+\. Pass the part of its address before \/api\/model as the base URL\. If no model is built yet, build one first\.$/m,
      '/api',
    ],
    [
      'each list redirects to a login page',
      (_, response) => response.writeHead(302, { location: '/login' }).end(),
      /^record-model: The service returned 302 to the list of each of 53 models and redirects to http:\S+\/login\. Pass credentials that can read/m,
    ],
    [
      'each path needs a slash at the end',
      (request, response) => response.writeHead(301, { location: `${request.url}/` }).end(),
      /^record-model: GET \S+ returned 301 and redirects to the same path with a slash at the end\./m,
    ],
  ])(
    'ends check with exit code 2 because %s, with and without a profile',
    async (_, listener, message, path = '') => {
      const base = closing(await serve(listener)).url + path;
      const ended = [await run('check', base), await run('check', base, ...WITH_DEFAULTS)];
      for (const { code, stderr, stdout } of ended)
        expect({ code, stderr, stdout }).toMatchObject({ ...endWith(2, message), stdout: '' });
      expect(JSON.stringify(ended)).not.toContain('s3cret');
    },
  );
});
