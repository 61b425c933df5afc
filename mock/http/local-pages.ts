import type { MockRequest, ServedReply } from './http.ts';

const LOCAL = /^https?:\/\/(localhost|[\w.-]+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

export function isPreflight({ method, headers }: MockRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/**
 * Opens an answer to a page served from this machine when the service does not speak of other origins at all, as one
 * that shares its origin with the app: behind the proxy the two differ. Pages from elsewhere get what the service says.
 */
export function openToLocalPages(request: MockRequest, reply: ServedReply): ServedReply {
  const { origin } = request.headers;
  if (origin === undefined || !LOCAL.test(origin)) return reply;
  if (reply.headers['access-control-allow-origin'] !== undefined) return reply;
  const open = { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' };
  if (!isPreflight(request)) {
    const exposed = Object.keys(reply.headers).join(', ');
    return {
      ...reply,
      headers: { ...reply.headers, ...open, vary: vary(reply), 'access-control-expose-headers': exposed },
    };
  }
  return {
    status: 204,
    headers: {
      ...open,
      'access-control-allow-methods': request.headers['access-control-request-method'] ?? '',
      'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    },
    body: '',
  };
}

function vary({ headers }: ServedReply): string {
  return [headers.vary ?? [], 'Origin'].flat().join(', ');
}
