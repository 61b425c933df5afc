import { expect, test } from 'vitest';
import { useVite } from '../../testing/adapters/use-vite.ts';
import { createMock } from '../mock.ts';

const { closing, serve } = useVite();

test('the plugin forwards some models to a service, and says so', async () => {
  const service = closing(await createMock({ fixtures: { brand: [{ id: 7, name: 'theirs' }] } }));
  const { url } = await service.listen();
  const { log, origin, vite } = await serve({ forward: { url, models: ['brand'] } });
  vite.printUrls();
  expect(log.join('\n')).toContain(`Forward: brand to ${url}`);
  const list = async (model: string) => (await fetch(`${origin()}/api/model/${model}`)).json();
  expect(await list('brand')).toMatchObject([{ name: 'theirs' }]);
  expect(await list('warehouse')).toHaveLength(3);
  expect(log.join('\n')).toMatch(/GET \/api\/model\/brand 200 \d+ ms forwarded/);
});
