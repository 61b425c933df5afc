import { STATUS_CODES } from 'node:http';
import { KIT } from '../../spec/files/kit-file.ts';
import type { CaseResult, Results } from '../results/results.ts';
import { plainLine, plainLines, quote } from '../results/text.ts';
import { type Exchange, outcomeOf } from '../target/exchange.ts';
import { causesOf, SHOWN_OF_CAUSE, standingOf } from './summary.ts';

/** Maximum number of characters of exchanges in a report, so that it stays under 2 MB. */
const MOST_IN_FILE = 600_000;

export function renderExchanges({ cases }: Results): string {
  return cases
    .flatMap(({ exchanges }) => exchanges ?? [])
    .map((exchange, index) => `\n== exchange ${index + 1}\n${exchangeText(exchange)}\n`)
    .join('');
}

/**
 * Returns a command line that sends the request again, or undefined if it needs a record that the run has removed since.
 * Secrets are redacted, so the reader fills them in.
 */
export function curlLine(exchange: Exchange): string | undefined {
  const { request } = exchange;
  if (!standsAlone(exchange)) return undefined;
  const parts = ['curl', '-i'];
  if (request.method !== 'GET') parts.push('-X', request.method);
  for (const [name, value] of Object.entries(request.headers)) parts.push('-H', quote(`${name}: ${value}`));
  if (request.body !== undefined) parts.push('--data-raw', quote(request.body));
  return [...parts, quote(request.url)].join(' ');
}

/** Whether a request names no record: neither its path nor its body has a number that could be an ID. */
function standsAlone({ request: { body = '', method, url } }: Exchange): boolean {
  if (/\/\d+$/.test(URL.parse(url)?.pathname ?? url)) return false;
  return method === 'GET' || !/[[:,]\s*"?\d{1,15}"?\s*[,\]}]/.test(body);
}

/**
 * Returns the command line that sends a request again, then the request and its response as plain text, with `>` before sent
 * lines and `<` before received ones.
 */
export function exchangeText(exchange: Exchange): string {
  const { request, response } = exchange;
  const curl = curlLine(exchange);
  const sent = [
    `${request.method} ${request.url}`,
    ...headerLines(request.headers),
    ...(request.body === undefined ? [] : [request.body]),
  ];
  const came = [outcomeOf(exchange), ...headerLines(response.headers), response.body];
  return [
    ...(curl === undefined ? [] : [plainLine(curl)]),
    ...sent.flatMap(plainLines).map((line) => `> ${line}`),
    ...came.flatMap(plainLines).map((line) => `< ${line}`),
  ].join('\n');
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** A case with the exchanges that fit into a report, and the number of the omitted ones. */
export type Fitted = ReturnType<typeof fitExchanges>[number];

/**
 * Keeps at most `limit` characters of the exchanges of a run: for the first `shown` cases of each cause, the last exchange
 * of each case, which decided, then earlier ones, at most `most` per case. Otherwise, a bad service would fill hundreds of
 * megabytes.
 */
export function fitExchanges(
  cases: readonly CaseResult[],
  limit: number,
  most = Number.POSITIVE_INFINITY,
  shown = SHOWN_OF_CAUSE,
) {
  let free = limit;
  const take = (exchange: Exchange) => {
    const size = JSON.stringify(exchange).length;
    if (size > free) return false;
    free -= size;
    return true;
  };
  const later = new Set(causesOf(cases).flatMap((cause) => cause.cases.slice(shown)));
  const lasts = cases.map((one) => (later.has(one) ? [] : (one.exchanges ?? []).slice(-1).filter(take)));
  return cases.map(({ again = [], exchanges = [], ...result }, index) => {
    const kept = [...(lasts[index] ?? [])];
    for (const exchange of exchanges.slice(-most, -1).reverse()) {
      if (kept.length === 0 || !take(exchange)) break;
      kept.unshift(exchange);
    }
    const [last] = kept.slice(-1);
    // The matching exchange of the second try, if the case did not fail again.
    const second = last && counterpart(last, again);
    return {
      result,
      exchanges: kept,
      left: exchanges.length - kept.length,
      again: second && take(second) ? [second] : [],
    };
  });
}

/** The exchanges in the results as an HTTP archive (HAR 1.2): a page a case, an entry an exchange. */
export function renderHar(results: Results): string {
  const cases = fitExchanges(results.cases, MOST_IN_FILE).filter(({ exchanges }) => exchanges.length > 0);
  const startedDateTime = results.startedAt;
  const har = {
    log: {
      version: '1.2',
      creator: KIT,
      comment:
        'The results hold no time for each exchange: every entry has the start of the run, and no timings.',
      pages: cases.map(({ left, result }) => {
        const comments = [result.message ?? [], left > 0 ? `${left} earlier exchanges left out` : []].flat();
        return {
          id: result.id,
          title: `${standingOf(result)} ${result.id}`,
          startedDateTime,
          pageTimings: {},
          ...(comments.length > 0 && { comment: comments.join(' · ') }),
        };
      }),
      entries: cases.flatMap(({ again, exchanges, result }) =>
        [...exchanges, ...again].map((exchange) => ({
          pageref: result.id,
          startedDateTime,
          ...harEntry(exchange),
        })),
      ),
    },
  };
  return `${JSON.stringify(har, null, 2)}\n`;
}

/** Returns an exchange as an entry of an HTTP archive, without times. */
function harEntry({ request, response }: Exchange) {
  const { body: text, method, url } = request;
  return {
    time: 0,
    request: {
      method,
      url: asUri(url),
      ...message(request.headers),
      queryString: pairs(URL.parse(url)?.searchParams ?? []),
      ...(text !== undefined && { postData: { mimeType: typeOf(request.headers), text } }),
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

type Headers = Exchange['request']['headers'];

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

function pairs(values: Iterable<readonly [name: string, value: string]>) {
  return [...values].map(([name, value]) => ({ name, value }));
}

function typeOf(headers: Headers): string {
  return headerOf(headers, 'content-type') ?? 'application/octet-stream';
}

function headerOf(headers: Headers, wanted: string): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** Of the exchanges of a second try, the last one that asks what the failing one asked; ids may differ. */
export function counterpart({ request: { method, url } }: Exchange, again: readonly Exchange[]) {
  const asked = `${method} ${shapeOf(url)}`;
  return (
    again.findLast(({ request }) => `${request.method} ${shapeOf(request.url)}` === asked) ?? again.at(-1)
  );
}

function shapeOf(url: string): string {
  return url.replace(/\?.*/, '').replaceAll(/\d+/g, '#');
}
