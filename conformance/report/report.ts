import type { Results } from '../results/results.ts';
import { fitExchanges, MOST_IN_RESULTS } from './exchanges.ts';
import { renderGithub } from './github.ts';
import { renderHar } from './har.ts';
import { renderHtml } from './html.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';
import { renderSarif } from './sarif.ts';

/**
 * Describes the report formats, by the name of their flag (`--junit FILE`). It is apart from their code because the
 * command reads it at every start.
 */
export const FORMATS = {
  json: 'all results as JSON (results.schema.json)',
  junit: 'JUnit XML',
  markdown: 'a Markdown summary, short enough for a CI step summary',
  html: 'the report as one HTML page',
  har: 'the requests and responses of failed cases as an HTTP archive (HAR)',
  sarif: 'the failed cases as SARIF, for code scanning',
  github: 'annotations for GitHub Actions',
} as const;

/** Functions that render a run from only its results. */
export const RENDERERS: Readonly<Record<FormatName, (results: Results) => string>> = {
  json: renderJson,
  junit: renderJunit,
  markdown: renderMarkdown,
  html: renderHtml,
  har: renderHar,
  sarif: renderSarif,
  github: renderGithub,
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

export type FormatName = keyof typeof FORMATS;
