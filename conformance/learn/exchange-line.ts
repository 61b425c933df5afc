import type { Exchange } from '../target/exchange.ts';

const LONGEST = 100;

/** An exchange in a few words: `GET /api/model/brand?limit=2 answered 200`. */
export function exchangeLine({ request, response }: Exchange): string {
  const url = URL.parse(request.url);
  const path = url ? url.pathname + url.search : request.url;
  return `${request.method} ${oneLine(path, LONGEST)} returned ${response.status}`;
}

/** A text from outside on one line, without what would control a terminal or end a comment. */
export function oneLine(text: string, longest = 400): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, ' ').trim();
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}
