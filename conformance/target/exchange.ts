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

type Showing = {
  /** The names of the headers that hold credentials. */
  readonly secret: readonly string[];
  /** Redacts credentials in text that the target returned. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Maximum number of characters of a body. Default 4000. */
  readonly longest?: number | undefined;
};

/** Returns a request and its response without secrets, and with long bodies cut. */
export function showExchange(
  { body, headers, method, url }: Exchange['request'],
  { body: answered, error, headers: answering, status }: TargetResponse,
  { redact = String, longest = LONGEST_SHOWN, secret }: Showing,
): Exchange {
  const shown = redactHeaders(headers);
  for (const name of secret) shown[name] = REDACTED;
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
      headers: mapValues(redactHeaders(answering), redact),
      body: cut(redact(redactText(answered)), longest),
      ...(error === undefined ? {} : { error }),
    },
  };
}

/** Returns the status of a response, or why there is none. */
export function outcomeOf({ response: { error, status } }: Exchange): string {
  return error ?? String(status);
}

function mapValues(headers: Headers, change: (value: string) => string): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]));
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
