import type { Results } from '../results/results.ts';
import { fitExchanges, MOST_IN_RESULTS } from './exchanges/fit-exchanges.ts';
import { renderGithub } from './github.ts';
import { renderHar } from './har.ts';
import { renderHtml } from './html.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown/markdown.ts';
import { renderSarif } from './sarif.ts';

/** The formats a run can be written in, by the name of the option that takes the file: `--junit FILE`. */
export const FORMATS = {
  json: {
    about: 'the results with every case, as results.schema.json has it',
    render: renderJson,
  },
  junit: { about: 'JUnit XML, which CI systems read', render: renderJunit },
  markdown: { about: 'a summary in Markdown, which fits a CI step summary', render: renderMarkdown },
  html: { about: 'one page to look at and search, which needs nothing else', render: renderHtml },
  har: { about: 'the exchanges of the cases that did not pass, as an HTTP archive', render: renderHar },
  sarif: { about: 'the failed cases for code scanning', render: renderSarif },
  github: {
    about: 'annotations, as a GitHub workflow reads them from standard output',
    render: renderGithub,
  },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof FORMATS;

export type Format = {
  /** For the help of the option. */
  readonly about: string;
  /** Draws the run from its results alone. */
  render(results: Results): string;
};

const ALL = Number.POSITIVE_INFINITY;

function renderJson(results: Results): string {
  const cases = fitExchanges(results.cases, MOST_IN_RESULTS, ALL, ALL).map(
    ({ again, exchanges, left, result }) => ({
      ...result,
      ...(exchanges.length > 0 ? { exchanges } : {}),
      ...(again.length > 0 ? { again } : {}),
      ...(left > 0 ? { exchangesLeft: left } : {}),
    }),
  );
  return `${JSON.stringify({ ...results, cases }, null, 2)}\n`;
}
