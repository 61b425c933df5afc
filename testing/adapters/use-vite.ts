import { createLogger, createServer, type InlineConfig } from 'vite';
import { recordModelMock, type ViteMockOptions } from '../../mock/adapters/vite.ts';
import { useClosing } from '../closing.ts';
import { demo } from '../demo.ts';

/** Dev servers of Vite with the mock, which are closed after each test of the file. */
export function useVite() {
  const closing = useClosing();
  return {
    closing,
    serve: async (...given: Parameters<typeof startVite>) => {
      const started = await startVite(...given);
      closing(started.vite);
      return started;
    },
  };
}

/** Starts a dev server on a free port. */
export async function startVite(options: ViteMockOptions = {}, more: InlineConfig = {}) {
  const log: string[] = [];
  const customLogger = createLogger('info');
  for (const level of ['info', 'warn', 'error'] as const) customLogger[level] = (line) => log.push(line);
  const vite = await createServer({
    configFile: false,
    customLogger,
    plugins: [recordModelMock({ fixtures: demo, ...options })],
    ...more,
    server: { host: '127.0.0.1', port: 0, ws: false, allowedHosts: true, ...more.server },
  });
  await vite.listen();
  const origin = () => new URL(vite.resolvedUrls?.local[0] ?? '').origin;
  return { vite, log, origin, port: () => Number(new URL(origin()).port) };
}
