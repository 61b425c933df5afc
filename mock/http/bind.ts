import type { Server } from 'node:http';
import { UsageError } from '../../spec/files/usage-error.ts';

/** Listens. Rejects with UsageError when the port or the host can't be had. */
export function bind(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, port, host)));
    server.listen(port, host, resolve);
  });
}

function explain(error: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new UsageError(
        `port ${port} of ${host} is taken; expected a free one. Choose another with --port`,
      );
    case 'EACCES':
      return new UsageError(`port ${port} may not be used by this user; expected one above 1023, see --port`);
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EAI_AGAIN':
    case 'EINVAL':
    case 'ENOTFOUND':
      return new UsageError(
        `host ${host} is no address of this machine; expected one such as 127.0.0.1, see --host`,
      );
    default:
      return error;
  }
}
