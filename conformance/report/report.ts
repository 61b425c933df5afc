import type { Results } from '../results/results.ts';
import { fitExchanges, MOST_IN_RESULTS } from './exchanges/fit-exchanges.ts';
import type { FormatName } from './formats.ts';
import { renderGithub } from './github.ts';
import { renderHar } from './har.ts';
import { renderHtml } from './html.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown/markdown.ts';
import { renderSarif } from './sarif.ts';

/** Draws a run from its results alone. */
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
