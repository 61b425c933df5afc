import { REDACTED, redactHeaders, redactText } from '../../spec/redaction.ts';

type Headers = Readonly<Record<string, string>>;

/** A response as it came. */
export type TargetResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** The request was sent before, and answered with 503: what that did is not known. */
  readonly again?: true;
};

/** A request with its response, as reports show it: secrets redacted, long bodies cut. */
export type Exchange = {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Headers;
    readonly body?: string;
  };
  readonly response: TargetResponse;
};

/** Characters of a body that reports show. */
const LONGEST_SHOWN = 4000;

export type Showing = {
  /** The names of the headers that prove who asks. */
  readonly secret: readonly string[];
  /** Redacts what a target repeats of them. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Characters of a body that are kept. Default 4000. */
  readonly longest?: number | undefined;
};

/** What is fit to be shown of a request with its response. */
export function showExchange(
  { body, headers, method, url }: Exchange['request'],
  { body: answered, headers: answering, status }: TargetResponse,
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
    // A target may repeat what it was sent, in an error above all; and what it said is sent to it again.
    response: {
      status,
      headers: mapValues(redactHeaders(answering), redact),
      body: cut(redact(redactText(answered)), longest),
    },
  };
}

function mapValues(headers: Headers, change: (value: string) => string): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]));
}

function cut(body: string, longest: number): string {
  return body.length <= longest ? body : `${body.slice(0, longest)}… (${body.length} characters)`;
}

/** Headers as texts, those that come more than once too. */
export function flattenHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  // A cookie may hold a comma (RFC 9110, 5.3), no header a new line.
  for (const [name, value] of Object.entries(headers))
    flat[name] = Array.isArray(value) ? value.join(name === 'set-cookie' ? '\n' : ', ') : (value ?? '');
  return flat;
}

/** Where an answer sends to. */
export type Redirect = {
  /** `http://127.0.0.1:4010/v2/api/model/brand`, without a user before the host. */
  readonly address: string;
  /** The base URL to give instead, where nothing else differs. */
  readonly baseUrl?: string;
};

/** Where an answer to a request for the path behind the base URL sends to; undefined where it does not. */
export function redirectOf({ request, response }: Exchange, path: string): Redirect | undefined {
  const { location } = response.headers;
  const place = location === undefined ? null : URL.parse(location, request.url);
  if (response.status < 300 || response.status > 399 || !place || !/^https?:$/.test(place.protocol))
    return undefined;
  const address = place.origin + place.pathname;
  const rest = address.endsWith(path) ? { baseUrl: address.slice(0, -path.length) } : {};
  return { address: address + place.search, ...rest };
}

/** The target asked for a pause of so many milliseconds. */
export type Wait = { readonly milliseconds: number; readonly status: number };
