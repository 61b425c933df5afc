import { KIT } from '../../spec/files/kit-file.ts';
import { type HarFile, type HarPage, harEntry } from '../../spec/wire/har.ts';
import type { Results } from '../results/results.ts';
import { type Fitted, fitExchanges, MOST_IN_FILE } from './exchanges.ts';
import { standingOf } from './summary.ts';

/** The exchanges in the results as an HTTP archive (HAR 1.2): a page a case, an entry an exchange. */
export function renderHar(results: Results): string {
  const cases = fitExchanges(results.cases, MOST_IN_FILE).filter(({ exchanges }) => exchanges.length > 0);
  const startedDateTime = results.startedAt;
  const har: HarFile = {
    log: {
      version: '1.2',
      creator: KIT,
      comment:
        'The results hold no time for each exchange: every entry has the start of the run, and no timings.',
      pages: cases.map((fitted) => page(fitted, results)),
      entries: cases.flatMap(({ again, exchanges, result }) =>
        [...exchanges, ...again].map((exchange) =>
          harEntry(exchange, { pageref: result.id, startedDateTime }),
        ),
      ),
    },
  };
  return `${JSON.stringify(har, null, 2)}\n`;
}

function page({ left, result }: Fitted, { startedAt }: Results): HarPage {
  const comment = [result.message, left > 0 ? `${left} earlier exchanges left out` : undefined];
  return {
    id: result.id,
    title: `${standingOf(result)} ${result.id}`,
    startedDateTime: startedAt,
    pageTimings: {},
    ...(comment.some(Boolean) ? { comment: comment.filter(Boolean).join(' · ') } : {}),
  };
}
