import type { Plugin } from 'vite';
import { createMock, type MockOptions } from '../mock.ts';

/**
 * Serves a mock beside the dev server of Vite, which passes `/api/model` and `/__mock` on to it: pages and API have one
 * origin. The demo club is there unless `fixtures` says otherwise. Builds are left alone.
 */
export function recordModelMock(options: MockOptions = {}): Plugin {
  return {
    name: 'record-model-mock',
    apply: 'serve',
    config: async () => {
      const mock = await createMock({ fixtures: 'demo', ...options });
      const { url } = await mock.listen();
      const target = { target: url, changeOrigin: true };
      return {
        server: { proxy: { [mock.base]: target, '/__mock': target, '/openapi': target } },
        preview: { proxy: { [mock.base]: target, '/__mock': target } },
        plugins: [{ name: 'record-model-mock:close', buildEnd: () => mock.close() }],
      };
    },
  };
}
