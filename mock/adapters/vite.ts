import type { Plugin, ProxyOptions } from 'vite';
import { addressSession, isControl } from '../control/address.ts';
import { isLoopbackAddress, isLoopbackHost } from '../http/hosts.ts';
import { createMock, type Mock, type MockOptions } from '../mock.ts';

/**
 * Serves a mock beside the dev server of Vite, which passes `/api/model` and `/__mock` on to it: pages and API have one
 * origin. The demo club is there unless `fixtures` says otherwise. Builds are left alone.
 */
export function recordModelMock(options: MockOptions = {}): Plugin {
  let mock: Mock | undefined;
  return {
    name: 'record-model-mock',
    apply: 'serve',
    config: async () => {
      mock ??= await createMock({ fixtures: 'demo', ...options });
      const { url } = await mock.listen();
      const proxy = { [mock.base]: { target: url, changeOrigin: true }, '/__mock': guarded(url) };
      return { server: { proxy }, preview: { proxy } };
    },
    closeBundle: () => mock?.close(),
    configureServer: ({ httpServer }) => void httpServer?.on('close', () => mock?.close()),
    configurePreviewServer: ({ httpServer }) => void httpServer.on('close', () => mock?.close()),
  };
}

/**
 * To the mock, every request that is passed on comes from this machine. So whether it does is judged here, for what is
 * no traffic of the contract.
 */
function guarded(target: string): ProxyOptions {
  return {
    target,
    changeOrigin: true,
    bypass: ({ headers, socket, url = '' }, response) => {
      const addressed = addressSession({ method: 'GET', target: url, headers: {} });
      const isOpen = 'request' in addressed && !isControl(addressed.request.target);
      const isLocal = isLoopbackAddress(socket.remoteAddress ?? '') && isLoopbackHost(headers.host ?? '');
      if (isOpen || isLocal) return undefined;
      response?.writeHead(403).end('The control plane is open to this machine only.');
      return false;
    },
  };
}
