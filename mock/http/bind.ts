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
      return new UsageError(`Port ${port} on ${host} is in use. Choose another port with --port.`);
    case 'EACCES':
      return new UsageError(`This user can't open port ${port}. Choose a port above 1023 with --port.`);
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EAI_AGAIN':
    case 'EINVAL':
    case 'ENOTFOUND':
      return new UsageError(
        `${host} is not an address of this machine. Choose another with --host, such as 127.0.0.1.`,
      );
    default:
      return error;
  }
}
