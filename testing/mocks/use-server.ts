import { listen } from '../../mock/http/server.ts';
import { useClosing } from '../closing.ts';
import { startMock } from './mocks.ts';

/** Starts servers with few models, and closes them after each test of the file. */
export function useServer() {
  const closing = useClosing();
  return { closing, serve };

  /** Starts a mock with a maximum length of bodies, and returns its URL. */
  async function serve(settings: Record<string, unknown> = {}, bodyLimit = 1000): Promise<string> {
    const { mock } = await startMock(settings, { bodyLimit });
    return closing(await listen(mock, { port: 0, host: '127.0.0.1' })).url;
  }
}
