import type { Entry, Header, Log, Page } from 'har-format';
import type { Results } from '../results/results.ts';
import type { Exchange } from '../target/exchange.ts';
import { type Fitted, fitExchanges, MOST_IN_FILE } from './exchanges.ts';
import { standingOf } from './summary.ts';
import { KIT } from './text.ts';

/** Imported, `http` makes Node load its client and its web sockets. */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** The exchanges in the results as an HTTP archive (HAR 1.2): a page a case, an entry an exchange. */
export function renderHar(results: Results): string {
  const cases = fitExchanges(results.cases, MOST_IN_FILE).filter(({ exchanges }) => exchanges.length > 0);
  const log: Log = {
    version: '1.2',
    creator: KIT,
    comment:
      'The results hold no time for each exchange: every entry has the start of the run, and no timings.',
    pages: cases.map((fitted) => page(fitted, results)),
    entries: cases.flatMap(({ again, exchanges, result }) =>
      [...exchanges, ...again].map((exchange) => entry(exchange, result.id, results)),
    ),
  };
  return `${JSON.stringify({ log }, null, 2)}\n`;
}

function page({ left, result }: Fitted, { startedAt }: Results): Page {
  const comment = [result.message, left > 0 ? `${left} earlier exchanges left out` : undefined];
  return {
    id: result.id,
    title: `${standingOf(result)} ${result.id}`,
    startedDateTime: startedAt,
    pageTimings: {},
    ...(comment.some(Boolean) ? { comment: comment.filter(Boolean).join(' · ') } : {}),
  };
}

function entry({ request, response }: Exchange, id: string, { startedAt }: Results): Entry {
  return {
    pageref: id,
    startedDateTime: startedAt,
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

function pairs(headers: Readonly<Record<string, string>>): Header[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

function typeOf(headers: Readonly<Record<string, string>>): string {
  return headerOf(headers, 'content-type') ?? 'application/octet-stream';
}

function headerOf(headers: Readonly<Record<string, string>>, wanted: string): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
}
