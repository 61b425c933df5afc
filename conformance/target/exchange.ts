import { REDACTED, redactHeaders, redactText } from '../../spec/redaction.ts';

type Headers = Readonly<Record<string, string>>;

export type TargetResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Why there is no complete response. The status is 0 then. */
  readonly error?: string;
  /** The service returned 503 to the request before, so that first request might have had an effect. */
  readonly again?: true;
};

/** A request with its response, as reports show it: with secrets redacted and long bodies cut. */
export type Exchange = {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Headers;
    readonly body?: string;
  };
  readonly response: TargetResponse;
};

/** Maximum number of characters of a body in reports. */
const LONGEST_SHOWN = 4000;

/**
 * Returns a request and its response without secrets, and with long bodies cut. `secret` has the names of the headers that
 * hold credentials, and `redact` redacts these in text that the target returned.
 */
export function showExchange(
  { body, headers, method, url }: Exchange['request'],
  { body: answered, error, headers: answering, status }: TargetResponse,
  secret: readonly string[],
  redact: (text: string) => string = String,
  longest: number = LONGEST_SHOWN,
): Exchange {
  const shown = redactHeaders(headers);
  for (const name of secret) shown[name] = REDACTED;
  const answers = Object.entries(redactHeaders(answering));
  return {
    request: {
      method,
      url,
      headers: shown,
      ...(body === undefined ? {} : { body: cut(redact(redactText(body)), longest) }),
    },
    // A target can repeat the request in its response, and the suite can send parts of a response again.
    response: {
      status,
      headers: Object.fromEntries(answers.map(([name, value]) => [name, redact(value)])),
      body: cut(redact(redactText(answered)), longest),
      ...(error === undefined ? {} : { error }),
    },
  };
}

export function outcomeOf({ response: { error, status } }: Exchange): string {
  return error ?? String(status);
}

function cut(body: string, longest: number): string {
  return body.length <= longest ? body : `${body.slice(0, longest)}… (${body.length} characters)`;
}

/**
 * Returns where a response redirects a request for a path below the base URL: the address without user information, and
 * the base URL to pass instead, unless the path differs too. Returns undefined for any other response.
 */
export function redirectOf({ request, response }: Exchange, path: string) {
  const { location } = response.headers;
  const place = location === undefined ? null : URL.parse(location, request.url);
  if (response.status < 300 || response.status > 399 || !place || !/^https?:$/.test(place.protocol))
    return undefined;
  const address = place.origin + place.pathname;
  const baseUrl = address.endsWith(path) ? address.slice(0, -path.length) : undefined;
  return { address: address + place.search, baseUrl };
}

/** Whether a response refuses the client, or sends it to a page to log in. */
export function isDenied(status: number): boolean {
  return status === 401 || status === 403 || (status >= 300 && status < 400);
}

/** The milliseconds that the suite waits because of a status. */
export type Wait = { readonly milliseconds: number; readonly status: number };

/** Nothing is there, or the client itself was closed. */
const GONE = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_DESTROYED', 'UND_ERR_CLOSED'];

/** The connection closed before the response was complete, or could not be opened for now. */
const BROKEN = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'];

/** There is no complete response: the connection was refused, closed, timed out, too large, or not HTTP. */
export class NoAnswer extends Error {
  /** Nothing listens at the address, or the service stopped responding. */
  gone: boolean;
  /** The connection closed before the response was complete. */
  readonly broken: boolean;
  /** The response took too long. */
  readonly silent: boolean;
  /** How often to send a request that ends like this. */
  readonly tries: number;
  /** The request that was sent last, and why it has no response. */
  exchange?: Exchange;
  constructor(message: string, code: string, gone = false) {
    super(message);
    this.name = 'NoAnswer';
    this.gone = gone || GONE.includes(code);
    this.broken = BROKEN.includes(code);
    this.silent = /TIMEOUT/.test(code);
    this.tries = this.broken ? 3 : this.silent ? 2 : 1;
  }
}

/** Whether a request has no response, although the service may respond to others. */
export function isUnanswered(error: unknown): error is NoAnswer {
  return error instanceof NoAnswer && !error.gone;
}

/** The request was not sent, because earlier ones of the same operation had no response within the time limit. */
export class NotSent extends NoAnswer {
  constructor(asked: string, { exchange, message }: NoAnswer) {
    super(`${asked} was not sent, because requests like it had no response: ${message}`, '');
    if (exchange) this.exchange = exchange;
  }
}

/** The record is deleted, but the response to its delete was lost, so the suite has not seen its status. */
export class Lost extends NoAnswer {}

/** The service refuses the credentials that it accepted before. */
export class Expired extends NoAnswer {
  constructor(accepted: number, status: number) {
    super(
      `the credentials were accepted until request ${accepted}, then ${status}; renew the token`,
      '',
      true,
    );
  }
}

/** The target limits the rate: it answered 429 several times, or asks for a long wait. */
export class TooMany extends NoAnswer {
  constructor(asked: string, times: number, wait = 0) {
    const said = times === 1 && wait > 0 ? `and asks to wait ${Math.ceil(wait)} s` : `${times} times`;
    super(
      `${asked} returned 429 (too many requests) ${said}; pass --rate N to send at most N requests per second`,
      '',
      true,
    );
  }
}

/** Maximum size of a response body, in bytes. */
export const LARGEST_BODY = 16 * 1024 * 1024;

export type ConnectionError = {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly cause?: { readonly code?: string };
};

/** Why a connection failed, by the code of the error. */
const REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens there (connection refused)'],
  [/^ENOTFOUND$/, 'the host does not exist'],
  [/^EAI_AGAIN$/, 'DNS did not answer'],
  [/^UND_ERR_(DESTROYED|CLOSED)$/, 'the time limit was reached'],
  [/^UND_ERR_RES_EXCEEDED_MAX_SIZE$/, `the response has more than ${LARGEST_BODY} bytes`],
  [/^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/, 'the connection was closed before the response was complete'],
  [/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/, 'it does not use TLS; try http:// instead'],
  [/ALERT/, 'it rejects the certificate of the client, or needs one; pass --cert FILE and --key FILE'],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired; pass --insecure to accept it'],
  [/^ERR_TLS_CERT_ALT/, 'its certificate is for another host; pass --insecure to accept it'],
  [/CERT|^UNABLE_TO_/, 'its certificate is not trusted; pass --ca FILE to trust its issuer, or --insecure'],
];

/** Returns why a connection failed, in words; `proxy` is the HTTP proxy that was used. */
export function describeConnection(error: ConnectionError, timeout: number, proxy?: string): string {
  if (proxy !== undefined)
    return `the proxy ${proxy} can't be reached: ${describeConnection(error, timeout)} (to connect without the proxy, add the host to NO_PROXY)`;
  const code = codeOf(error);
  if (/TIMEOUT/.test(code)) return `no response within ${timeout} ms`;
  const reason = REASONS.find(([known]) => known.test(code))?.[1];
  if (reason?.includes('certificate')) return `${reason} (${code})`;
  return (
    reason ?? `no HTTP response (${/proxy/i.test(error.message) ? error.message : code || error.message})`
  );
}

/** Returns the code of a connection error, or of its cause. */
export function codeOf(error: ConnectionError): string {
  // The code of this error is a number.
  if (error.name === 'TimeoutError') return 'TIMEOUT';
  return error.code ?? error.cause?.code ?? '';
}

/** A request was not sent or not repeated because the run is stopping. */
export class Interrupted extends Error {
  override name = 'Interrupted';
  readonly isOutOfTime: boolean;
  constructor(isOutOfTime = false) {
    super('interrupted');
    this.isOutOfTime = isOutOfTime;
  }
}

/** Returns undefined if a request has no response, unless the whole target is gone. */
export async function unlessUnanswered<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isUnanswered(error)) return undefined;
    throw error;
  }
}

/** Keeps a service busy. With more requests, the last could exceed its timeout in the queue. */
const SIDE_BY_SIDE = 4;

/**
 * Runs a task for each item, `count` at a time. After an error it starts no other task, and throws the error when all
 * started ones have ended. p-map doesn't wait for those.
 */
export async function sideBySide<Item, Result>(
  items: Iterable<Item>,
  ask: (item: Item) => Promise<Result>,
  count = SIDE_BY_SIDE,
): Promise<Result[]> {
  const waiting = [...items].entries();
  const results: Result[] = [];
  const errors: unknown[] = [];
  const work = async () => {
    for (const [index, item] of waiting) {
      if (errors.length > 0) return;
      await ask(item).then(
        (result) => {
          results[index] = result;
        },
        (error) => errors.push(error),
      );
    }
  };
  await Promise.all(Array.from({ length: count }, work));
  if (errors.length > 0) throw errors[0];
  return results;
}
