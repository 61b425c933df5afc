import type { MockRequest } from './mock-request.ts';
import type { ServedReply } from './server.ts';

/** What a HEAD answers: everything but the body (RFC 9110, 9.3.2). */
export function withoutBodyForHead<Some extends ServedReply>({ method }: MockRequest, reply: Some): Some {
  if (method !== 'HEAD' || typeof reply.body !== 'string') return reply;
  const length = String(Buffer.byteLength(reply.body));
  return { ...reply, headers: { ...reply.headers, 'content-length': length }, body: '' };
}
