import type { Results } from '../../results/results.ts';
import type { Exchange } from '../../target/exchange.ts';
import { plainLine, plainLines } from '../text.ts';
import { curlLine } from './curl.ts';

/** The exchanges of a run in full, as they went over the wire: `>` before what was sent, `<` before what came. */
export function renderExchanges({ cases }: Results): string {
  return cases
    .flatMap(({ exchanges }) => exchanges ?? [])
    .map((exchange, index) => {
      const { request, response } = exchange;
      const sent = [
        `${request.method} ${request.url}`,
        ...headerLines(request.headers),
        ...(request.body === undefined ? [] : [request.body]),
      ];
      const came = [String(response.status), ...headerLines(response.headers), response.body];
      return [
        `\n== exchange ${index + 1}`,
        plainLine(curlLine(exchange)),
        ...sent.flatMap(plainLines).map((line) => `> ${line}`),
        ...came.flatMap(plainLines).map((line) => `< ${line}`),
        '',
      ].join('\n');
    })
    .join('');
}

function headerLines(headers: Exchange['request']['headers']): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
