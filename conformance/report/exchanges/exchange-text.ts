import type { Exchange } from '../../target/exchange.ts';
import { curlLine } from './curl.ts';

/** A request with its response as plain text, as HTTP writes them, and the command line that sends it again. */
export function exchangeText(exchange: Exchange): string {
  const { request, response } = exchange;
  return [
    `${request.method} ${request.url}`,
    ...headerLines(request.headers),
    ...(request.body === undefined ? [] : ['', request.body]),
    '',
    `HTTP ${response.status}`,
    ...headerLines(response.headers),
    ...(response.body === '' ? [] : ['', response.body]),
    '',
    curlLine(exchange),
  ].join('\n');
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
