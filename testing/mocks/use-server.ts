import { afterEach } from 'vitest';
import { type Listening, listen } from '../../mock/http/server.ts';
import { startMock } from './mocks.ts';

/** Mocks of few models on ports of their own; what listens is closed after each test of the file. */
export function useServer() {
  const running: Pick<Listening, 'close'>[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.close()));
  });
  const closing = <T extends Pick<Listening, 'close'>>(server: T): T => {
    running.push(server);
    return server;
  };
  return { closing, serve };

  /** The address of a mock that takes bodies of so many bytes. */
  async function serve(settings: Record<string, unknown> = {}, bodyLimit = 1000): Promise<string> {
    const { mock } = await startMock(settings, { bodyLimit });
    return closing(await listen(mock, { port: 0, host: '127.0.0.1' })).url;
  }
}
