import type { CaseResult, Results } from '../results/results.ts';
import { oneLine } from '../results/text.ts';
import { fitExchanges, renderHar } from './exchanges.ts';
import { renderGithub } from './github.ts';
import { renderHtml } from './html.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';

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
  github: 'annotations for GitHub Actions',
} as const;

/** Functions that render a run from only its results. */
export const RENDERERS: Readonly<Record<FormatName, (results: Results) => string>> = {
  json: renderJson,
  junit: renderJunit,
  markdown: renderMarkdown,
  html: renderHtml,
  har: renderHar,
  github: renderGithub,
};

const ALL = Number.POSITIVE_INFINITY;

/** Maximum number of characters of the JSON. */
const MOST = 4_900_000;

/** Renders the results as JSON with one line per case, so that tools for text can read and compare it. */
function renderJson({ cases: all, ...facts }: Results): string {
  const head = JSON.stringify({ ...facts, cases: [] }, null, 2);
  const cases = fitTexts(all, MOST - head.length);
  const room = MOST - head.length - sizeOf(cases.map(bareOf));
  const lines = fitExchanges(cases, room, ALL, ALL).map(({ again, exchanges, left, result }) =>
    JSON.stringify({
      ...result,
      ...(exchanges.length > 0 && { exchanges }),
      ...(again.length > 0 && { again }),
      ...(left > 0 && { exchangesLeft: left }),
    }),
  );
  return `${head.slice(0, head.lastIndexOf('[]'))}[\n    ${lines.join(',\n    ')}\n  ]\n}\n`;
}

/** Cuts the texts of a run that fails everywhere, so that its cases have about `most` bytes. */
function fitTexts(cases: readonly CaseResult[], most: number): readonly CaseResult[] {
  if (sizeOf(cases.map(bareOf)) <= most) return cases;
  const others = sizeOf(cases.map(bareOf).map(({ expected, found, message, ...rest }) => rest));
  const each = Math.max(20, Math.floor((most - others) / (3 * cases.length)) - 20);
  const cut = (name: string, value: unknown) =>
    typeof value === 'string' && ['message', 'expected', 'found'].includes(name)
      ? oneLine(value, each)
      : value;
  return cases.map((result) => ({
    ...result,
    ...JSON.parse(JSON.stringify(bareOf(result), cut)),
  }));
}

function bareOf({ again: _, exchanges: __, ...result }: CaseResult): CaseResult {
  return result;
}

/** The bytes of cases with their places in the list, and with the numbers of exchanges that were left out. */
function sizeOf(cases: readonly object[]): number {
  return Buffer.byteLength(JSON.stringify(cases)) + 30 * cases.length;
}

export type FormatName = keyof typeof FORMATS;
