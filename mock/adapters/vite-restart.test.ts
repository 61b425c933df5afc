import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { useVite } from '../../testing/adapters/use-vite.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';

const directory = useDirectory();
const { serve } = useVite();

describe('a restart of the dev server', () => {
  test('keeps records, sessions, faults, and the request log', async () => {
    const { origin, vite } = await serve({
      fixtures: { brand: [{ id: 1, name: 'Altura' }] },
      records: { customer: 1 },
    });
    const post = (path: string, body: object) =>
      fetch(origin() + path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
    await post('/api/model/brand', { name: 'Bosque' });
    await post('/__mock/sessions/a/api/model/brand', { name: 'Cierzo' });
    await post('/__mock/sessions/a/__mock/faults', { status: 503, match: { operation: 'getBrand' } });
    for (const _ of ['once', 'again']) {
      await vite.restart();
      expect(await namesAt(origin())).toEqual(['Altura', 'Bosque']);
      expect(await namesAt(`${origin()}/__mock/sessions/a`)).toEqual(['Altura', 'Cierzo']);
      expect((await fetch(`${origin()}/__mock/sessions/a/api/model/brand/1`)).status).toBe(503);
    }
    const counted = await fetch(`${origin()}/__mock/requests/count?operation=createBrand`);
    expect(await counted.json()).toEqual({ count: 1 });
  });

  test('uses the changed options of a configuration file, and keeps the records in memory if they are wrong', async () => {
    const fixtures = (name: string) => `{ fixtures: { brand: [{ id: 1, name: '${name}' }] } }`;
    const { change, origin, vite } = await serveConfigured(fixtures('Altura'));
    await fetch(`${origin()}/api/model/brand`, {
      method: 'POST',
      body: '{"name":"Bosque"}',
      headers: { 'content-type': 'application/json' },
    });
    change("{ seed: 'one' }");
    await vite.restart();
    expect(await namesAt(origin())).toEqual(['Altura', 'Bosque']);
    change(fixtures('Cierzo'));
    await vite.restart();
    expect(await namesAt(origin())).toEqual(['Cierzo', 'Bosque']);
  });

  test('keeps the records in a file if the changed options are wrong', async () => {
    const data = `data: ${JSON.stringify(directory.path('vite.db'))}, `;
    const { change, origin, vite } = await serveConfigured(`{ ${data}seed: 1 }`);
    await fetch(`${origin()}/api/model/brand/1`, { method: 'DELETE' });
    change(`{ ${data}seed: 'one' }`);
    await vite.restart();
    expect((await fetch(`${origin()}/api/model/brand/2`, { method: 'DELETE' })).ok).toBe(true);
    change(`{ ${data}seed: 2 }`);
    await vite.restart();
    for (const id of [1, 2])
      expect(await (await fetch(`${origin()}/api/model/brand/${id}`)).text()).toContain('"deleted":true');
  });
});

/** Starts a dev server whose configuration file can change. */
async function serveConfigured(options: string) {
  // Vite evaluates the file again, but loads a package only once.
  mkdirSync(directory.path('node_modules/kit'), { recursive: true });
  const adapter = pathToFileURL(join(import.meta.dirname, 'vite.ts'));
  const exports = { './mock/vite': './vite.js' };
  directory.write('node_modules/kit/package.json', JSON.stringify({ name: 'kit', type: 'module', exports }));
  directory.write('node_modules/kit/vite.js', `export * from ${JSON.stringify(adapter.href)};`);
  const change = (changed: string) =>
    directory.write(
      'vite.config.js',
      `import { recordModelMock } from 'kit/mock/vite';
       export default { plugins: [recordModelMock({ onExchange: () => {}, ...${changed} })] };`,
    );
  change(options);
  const configFile = directory.path('vite.config.js');
  return { change, ...(await serve({}, { plugins: [], root: directory.path(), configFile })) };
}

async function namesAt(address: string): Promise<string[]> {
  const brands = (await (await fetch(`${address}/api/model/brand`)).json()) as { name: string }[];
  return brands.map(({ name }) => name);
}
