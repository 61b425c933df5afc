import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createRandom } from '../draw.ts';
import { forward, serve } from '../http-server.ts';
import type { Service } from '../service.ts';
import { SHAPES, type ShapeName } from './shapes.ts';

export type HostileOptions = {
  /** The number of first responses that stay unchanged. */
  readonly after?: number;
  /** After these, one of this number of responses is hostile. */
  readonly oneIn?: number;
  /** Which ones, is drawn with it. */
  readonly seed?: number;
  /** Each hostile answer is one of these, drawn too. */
  readonly shapes: readonly ShapeName[];
};

export type HostileService = Service & {
  readonly hostile: () => number;
  /** The paths of the deletes that got a hostile response and did not reach the service. */
  readonly withheld: () => readonly string[];
};

/** Starts a proxy in front of a service that gives invalid responses. Closing it closes the service, too. */
export async function startHostile(
  service: Service,
  { after = 0, oneIn = 1, seed = 1, shapes }: HostileOptions,
): Promise<HostileService> {
  const random = createRandom(seed);
  let answers = 0;
  let hostile = 0;
  const withheld: string[] = [];
  // An answer that rejects breaks the connection.
  const { close, url } = await serve((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  const closeBoth = async () => {
    await close();
    await service.close();
  };
  return { ...service, url, close: closeBoth, hostile: () => hostile, withheld: () => withheld };

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const shape = shapes[Math.floor(random() * shapes.length)];
    if (++answers > after && random() * oneIn < 1 && shape !== undefined) {
      hostile++;
      // Half of these requests reach the service, except those that the client must send again.
      if (random() < 0.5 && !shape.startsWith('wait-'))
        await forward(service.url + incoming.url, incoming, body);
      else if (incoming.method === 'DELETE') withheld.push(`${incoming.url}`);
      SHAPES[shape](incoming, outgoing);
      return;
    }
    const given = await forward(service.url + incoming.url, incoming, body);
    outgoing.writeHead(given.status, given.headers).end(given.body);
  }
}
