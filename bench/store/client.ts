import { Agent, request } from 'node:http';

/** Why there is no response: the server no longer listens, or a new or used connection broke. */
export type NoAnswer = 'refused' | 'new connection broke' | 'used connection broke';

export type Asked = { readonly body: unknown } | { readonly noAnswer: NoAnswer };

export type Client = {
  /** Asks on a connection that is kept. Rejects for an answer that is not good. */
  ask(method: string, path: string, body?: object): Promise<Asked>;
  close(): void;
};

export function createClient(url: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return { ask, close: () => agent.destroy() };

  function ask(method: string, path: string, body?: object): Promise<Asked> {
    const text = body && JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const headers = text
        ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
        : {};
      const asking = request(url + path, { method, agent, headers });
      const broken = (error: NodeJS.ErrnoException) =>
        resolve({
          noAnswer:
            error.code === 'ECONNREFUSED'
              ? 'refused'
              : asking.reusedSocket
                ? 'used connection broke'
                : 'new connection broke',
        });
      asking.on('error', broken).on('response', (answer) => {
        let read = '';
        answer
          .setEncoding('utf8')
          .on('data', (chunk) => (read += chunk))
          .on('error', broken);
        answer.on('end', () => {
          if (!answer.complete) return;
          const { statusCode = 0 } = answer;
          if (statusCode >= 200 && statusCode < 300) resolve({ body: JSON.parse(read) });
          else reject(new Error(`${method} ${path} was answered with ${statusCode}: ${read}`));
        });
      });
      asking.end(text);
    });
  }
}
