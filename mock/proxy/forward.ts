import { randomBytes } from 'node:crypto';
import {
  aloneOrAll,
  type Headers,
  type MockRequest,
  type ServedReply,
  splitTarget,
  type WhenDone,
} from '../http/http.ts';
import { problemOf } from '../operations/reply.ts';
import { type Content, isMediaType, readContent, readUpTo } from './content.ts';
import { withoutHopByHop } from './hop-by-hop.ts';
import type { Upstream, UpstreamAnswer } from './upstream.ts';

/** An answer on its way back: as the client gets it, and as it reads. */
export type Forwarded = {
  readonly reply: ServedReply;
  /** As Prism reads them: one value each, and no media type that it can't read. */
  readonly headers: Headers;
  readonly content: Content;
  /** Why there is no complete answer of the service; the reply is then the proxy's own. */
  readonly failure?: string;
};

/**
 * Forwards a request and returns the response. Reads the body only if `held` is true. A failed connection is a
 * response, too, so it rejects only because of a bug.
 */
export type Forward = (request: MockRequest, held: boolean, whenDone: WhenDone) => Promise<Forwarded>;

const NOTHING: Content = { kind: 'value', value: undefined };

export function createForward(upstream: Upstream, bodyLimit: number): Forward {
  // By its own name in Via a proxy knows a request that goes round (RFC 9110, 7.6.3).
  const name = `record-model-${randomBytes(8).toString('hex')}`;
  return async (request, held, whenDone) => {
    const [path, search] = splitTarget(request.target);
    if (!path.startsWith('/')) return fail(400, `The request target must be a path, but is ${path}.`);
    const { method, body } = request;
    const { via = '' } = request.headers;
    if (via.includes(name))
      return fail(
        508,
        `The upstream URL ${upstream.url} leads back to this proxy. Set it to the URL of the service.`,
      );
    if (body === 'too-large')
      return fail(413, `The body has more than ${bodyLimit} bytes, which is the limit of the proxy.`);
    try {
      const headers = { ...request.headers, via: `${via === '' ? '' : `${via}, `}1.1 ${name}` };
      const incoming = await upstream.send({ method, target: path + search, headers, body }, whenDone);
      return marked(held ? await hold(incoming) : stream(incoming, NOTHING));
    } catch (error) {
      const { status, detail } = upstream.explain(error);
      return fail(status, detail);
    }
  };

  /** Marks a response of another service, so that a client doesn't treat its records as disposable. */
  function marked(forwarded: Forwarded): Forwarded {
    const { headers } = forwarded.reply;
    const via = [headers.via ?? [], `1.1 ${name}`].flat().join(', ');
    const reply = { ...forwarded.reply, headers: { ...headers, via, 'record-model-upstream': upstream.url } };
    return { ...forwarded, reply };
  }

  async function hold(incoming: UpstreamAnswer): Promise<Forwarded> {
    const body = await readUpTo(incoming.body, bodyLimit);
    if (!(body instanceof Uint8Array))
      return stream(incoming, { kind: 'unread', detail: `it has more than ${bodyLimit} bytes` });
    const forwarded = stream(incoming, NOTHING);
    const content = await readContent(body, forwarded.headers, bodyLimit);
    return { ...forwarded, reply: { ...forwarded.reply, body }, content };
  }
}

/** The answer with its body still to come, however long that takes. */
function stream({ body, headers: received, status }: UpstreamAnswer, content: Content): Forwarded {
  const entries = Object.entries(withoutHopByHop(received));
  const headers = Object.fromEntries(entries.map(([name, values]) => [name, aloneOrAll([...values])]));
  return { reply: { status, headers, body }, headers: flatten(entries), content };
}

/** For Prism, which throws at a media type that it can't read and reports one that is missing. */
function flatten(entries: readonly (readonly [string, readonly string[]])[]): Record<string, string> {
  const { 'content-type': type, ...others } = Object.fromEntries(
    entries.map(([name, values]) => [name, values.join(', ')]),
  );
  return type !== undefined && isMediaType(type) ? { ...others, 'content-type': type } : others;
}

function fail(status: number, detail: string): Forwarded {
  return { reply: problem(status, detail), headers: {}, content: NOTHING, failure: detail };
}

/** An answer of the proxy itself, always in the form of RFC 9457: the service may have another. */
export function problem(status: number, detail: string): ServedReply {
  return {
    status,
    headers: { 'content-type': 'application/problem+json' },
    body: JSON.stringify(problemOf(status, detail)),
  };
}
