/** The adapters under profiles that differ most; examples/ holds them in projects of their own. */
import { setupServer } from 'msw/node';
import { createServer } from 'vite';
import { describe, expect, test } from 'vitest';
import { createMock } from '../mock.ts';
import { createHandlers } from './msw.ts';
import { recordModelMock } from './vite.ts';
import { createMockTest } from './vitest.ts';

const fixtures = { brand: [{ id: 1, name: 'Altura' }] };
const headers = { authorization: 'Bearer x', 'api-version': '2025-10-22' };

/** A list of one brand under the profile. */
async function expectBrand(response: Response): Promise<void> {
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"name":"Altura"')]);
}

const PROFILES: Record<string, unknown>[] = [
  {},
  { auth: 'bearer', 'response.unset': 'absent' },
  { version: 'header Api-Version', 'response.records': '/data', 'response.total': 'none' },
  { 'list.paging': 'none', 'errors.form': 'empty', 'types.datetime': 'space' },
];
/** Vitest wants what a file shares at its top. */
const mockTests = PROFILES.map((profile) => createMockTest({ profile, fixtures }));

describe.each(PROFILES.map((profile, index) => [profile, mockTests[index] ?? createMockTest()] as const))(
  'under %j',
  (profile, mockTest) => {
    mockTest('the adapter of Vitest gives a session with an address', async ({ mock }) => {
      await expectBrand(await fetch(`${mock.url}/api/model/brand`, { headers }));
      expect(await mock.count({ operation: 'listBrand' })).toBe(1);
    });

    test('that of MSW answers at the address of the API', async () => {
      await using mock = await createMock({ profile, fixtures });
      const server = setupServer(
        ...createHandlers(mock, { origin: 'https://api.example.com', session: 'a' }),
      );
      server.listen();
      try {
        await expectBrand(await fetch('https://api.example.com/api/model/brand', { headers }));
        await mock.session('a').fault({ drop: 'before', times: 1 });
        await expect(fetch('https://api.example.com/api/model/brand', { headers })).rejects.toThrow();
        expect(await mock.count()).toBe(0);
      } finally {
        server.close();
      }
    });

    test('that of Vite has the mock beside the app', async () => {
      const plugins = [recordModelMock({ profile, fixtures })];
      const server = { host: '127.0.0.1', port: 0, ws: false } as const;
      const vite = await createServer({ configFile: false, logLevel: 'silent', plugins, server });
      await vite.listen();
      try {
        const local = vite.resolvedUrls?.local[0];
        await expectBrand(await fetch(`${local}api/model/brand`, { headers }));
        const picture = await fetch(`${local}__mock/images/brand-1.svg`, { headers });
        expect(picture.headers.get('content-type')).toBe('image/svg+xml');
      } finally {
        await vite.close();
      }
    });
  },
);
