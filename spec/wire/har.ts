/** The parts of an HTTP archive (HAR 1.2) that the kit writes. */
export type HarFile = { readonly log: HarLog };

export type HarLog = {
  readonly version: '1.2';
  readonly creator: { readonly name: string; readonly version: string };
  readonly comment?: string;
  readonly pages?: readonly HarPage[];
  readonly entries: readonly HarEntry[];
};

export type HarPage = {
  readonly id: string;
  readonly title: string;
  readonly startedDateTime: string;
  readonly pageTimings: Readonly<Record<string, never>>;
  readonly comment?: string;
};

type HarEntry = {
  readonly pageref?: string;
  readonly startedDateTime: string;
  /** Milliseconds. */
  readonly time: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly httpVersion: string;
    readonly cookies: readonly [];
    readonly headers: readonly HarPair[];
    readonly queryString: readonly HarPair[];
    readonly postData?: { readonly mimeType: string; readonly text: string };
    readonly headersSize: -1;
    readonly bodySize: -1;
  };
  readonly response: {
    readonly status: number;
    readonly statusText: string;
    readonly httpVersion: string;
    readonly cookies: readonly [];
    readonly headers: readonly HarPair[];
    readonly content: { readonly size: number; readonly mimeType: string; readonly text: string };
    readonly redirectURL: string;
    readonly headersSize: -1;
    readonly bodySize: -1;
  };
  readonly cache: Readonly<Record<string, never>>;
  readonly timings: { readonly send: number; readonly wait: number; readonly receive: number };
};

export type HarPair = { readonly name: string; readonly value: string };

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** An exchange without its secrets. */
export type HarExchange = {
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

/** Returns an exchange as an entry of an HTTP archive, without times. */
export function harEntry(
  { request, response }: HarExchange,
  about: Pick<HarEntry, 'startedDateTime' | 'pageref'>,
): HarEntry {
  return {
    ...about,
    time: 0,
    request: {
      method: request.method,
      url: asUri(request.url),
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(request.headers),
      queryString: [...(URL.parse(request.url)?.searchParams ?? [])].map(([name, value]) => ({
        name,
        value,
      })),
      ...(request.body === undefined
        ? {}
        : { postData: { mimeType: typeOf(request.headers), text: request.body } }),
      headersSize: -1,
      bodySize: -1,
    },
    response: {
      status: response.status,
      statusText: STATUS_CODES[response.status] ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(response.headers),
      content: {
        size: Buffer.byteLength(response.body),
        mimeType: typeOf(response.headers),
        text: response.body,
      },
      redirectURL: headerOf(response.headers, 'location') ?? '',
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
  };
}

/** `[redacted]` in a query is no URI; the brackets of an IPv6 host are. */
function asUri(url: string): string {
  const [place = '', ...query] = url.split('?');
  return [place, ...query.map((part) => part.replaceAll('[', '%5B').replaceAll(']', '%5D'))].join('?');
}

function pairs(headers: Headers): HarPair[] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => ({ name, value })),
  );
}

function typeOf(headers: Headers): string {
  return headerOf(headers, 'content-type') ?? 'application/octet-stream';
}

function headerOf(headers: Headers, wanted: string): string | undefined {
  const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === wanted) ?? [];
  return [value].flat()[0];
}
