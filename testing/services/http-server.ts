import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listeners } from './in-process.ts';

export type Served = {
  /** Without a slash at the end. */
  readonly url: string;
  /** Ends what is under way too. */
  close(): Promise<void>;
};

/** Serves on this machine, on a free port when none is given. */
export async function serve(listener: RequestListener, port = 0): Promise<Served> {
  const server = createServer(listener);
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  listeners.set(url, listener);
  return {
    url,
    close: () =>
      new Promise((done) => {
        listeners.delete(url);
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
