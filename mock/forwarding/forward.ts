import { randomBytes } from 'node:crypto';
import { redactUrl } from '../../spec/redaction.ts';
import {
  aloneOrAll,
  type Headers,
  type MockRequest,
  type ServedReply,
  splitTarget,
  type WhenDone,
} from '../http/http.ts';
import { problem } from '../operations/reply.ts';
import { type Content, isMediaType, readContent, readUpTo } from './content.ts';
import type { createUpstream, UpstreamAnswer } from './upstream.ts';
import { withoutHopByHop } from './upstream.ts';

/** A request to an operation or a record of a model, with its whole body. */
export type SentRequest = Omit<MockRequest, 'body'> & { readonly body?: Uint8Array | undefined };

/** A response for the client, with its content for the check. */
export type Forwarded = {
  readonly reply: ServedReply;
  /** The headers for Prism: one value each, and no media type that Prism can't read. */
  readonly headers: Headers;
  readonly content: Content;
  /** Why there is no complete response of the service. The mock then responds itself. */
  readonly failure?: string;
};

const NOTHING: Content = { kind: 'value', value: undefined };

/**
 * Returns a function that forwards a request and returns the response. It reads the body only if `held` is true. A
 * failed connection is a response, too, so it rejects only because of a bug.
 */
export function createForward(upstream: ReturnType<typeof createUpstream>, bodyLimit: number) {
  // By its name in Via, the mock recognizes a request that returns to it (RFC 9110, 7.6.3).
  const name = `record-model-${randomBytes(8).toString('hex')}`;
  return async (request: SentRequest, held: boolean, whenDone: WhenDone): Promise<Forwarded> => {
    const [path, search] = splitTarget(request.target);
    const { method, body } = request;
    const { via = '' } = request.headers;
    if (via.includes(name))
      return fail(
        508,
        `The forward URL ${redactUrl(upstream.url)} leads back to this mock. Set it to the URL of the service.`,
      );
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

/** Returns a response whose body is still to come. */
function stream({ body, headers: received, status }: UpstreamAnswer, content: Content): Forwarded {
  const entries = Object.entries(withoutHopByHop(received));
  const headers = Object.fromEntries(entries.map(([name, values]) => [name, aloneOrAll([...values])]));
  return { reply: { status, headers, body }, headers: flatten(entries), content };
}

/** Returns headers for Prism, which throws at a media type that it can't read, and reports a missing one. */
function flatten(entries: readonly (readonly [string, readonly string[]])[]): Record<string, string> {
  const { 'content-type': type, ...others } = Object.fromEntries(
    entries.map(([name, values]) => [name, values.join(', ')]),
  );
  return type !== undefined && isMediaType(type) ? { ...others, 'content-type': type } : others;
}

function fail(status: number, detail: string): Forwarded {
  return { reply: problem(status, detail), headers: {}, content: NOTHING, failure: detail };
}
