type Headers = Readonly<Record<string, string | readonly string[]>>;

/** An exchange without its secrets. */
type HarExchange = {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Headers;
    readonly body?: string | undefined;
  };
  /** The status is 0 if there was no response. */
  readonly response: { readonly status: number; readonly headers: Headers; readonly body: string };
};

/** Imported, `http` makes Node load its client and its web sockets. */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Returns an exchange as an entry of an HTTP archive (HAR 1.2), without times. */
export function harEntry(
  { request, response }: HarExchange,
  about: { readonly startedDateTime: string; readonly pageref?: string },
) {
  const { body, method, url } = request;
  return {
    ...about,
    time: 0,
    request: {
      method,
      url: asUri(url),
      ...message(request.headers),
      queryString: pairs(URL.parse(url)?.searchParams ?? []),
      ...(body !== undefined && { postData: { mimeType: typeOf(request.headers), text: body } }),
    },
    response: {
      status: response.status,
      statusText: STATUS_CODES[response.status] ?? '',
      ...message(response.headers),
      content: {
        size: Buffer.byteLength(response.body),
        mimeType: typeOf(response.headers),
        text: response.body,
      },
      redirectURL: headerOf(response.headers, 'location') ?? '',
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
  };
}

/** The members that a request and a response share. The sizes are not known. */
function message(headers: Headers) {
  const own = { headers: pairs(Object.entries(headers)), cookies: [] };
  return { httpVersion: 'HTTP/1.1', ...own, headersSize: -1, bodySize: -1 };
}

/** `[redacted]` in a query is no URI; the brackets of an IPv6 host are. */
function asUri(url: string): string {
  const [place = '', ...query] = url.split('?');
  return [place, ...query.map((part) => part.replaceAll('[', '%5B').replaceAll(']', '%5D'))].join('?');
}

function pairs(values: Iterable<readonly [name: string, values: string | readonly string[]]>) {
  return [...values].flatMap(([name, all]) => [all].flat().map((value) => ({ name, value })));
}

function typeOf(headers: Headers): string {
  return headerOf(headers, 'content-type') ?? 'application/octet-stream';
}

function headerOf(headers: Headers, wanted: string): string | undefined {
  const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === wanted) ?? [];
  return [value].flat()[0];
}
