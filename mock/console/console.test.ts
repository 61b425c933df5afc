import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { serveMock } from '../../testing/mocks/control.ts';

test('the page with its script and styles has less than 150 kB when compressed', async () => {
  await using mock = await serveMock();
  const load = async (path: string) => {
    const response = await fetch(new URL(path, mock.url), { headers: { accept: 'text/html' } });
    expect([path, response.status]).toEqual([path, 200]);
    return response.text();
  };
  const page = await load('/');
  const names = [...page.matchAll(/ (?:src|href)="(\.\/[^"]+)"/g)].map(([, name = '']) => name);
  expect(names.map((name) => name.replace(/.*\./, '')).sort()).toEqual(['css', 'js']);
  const files = [page, ...(await Promise.all(names.map(load)))];
  const sizes = files.map((text) => gzipSync(text).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
});
