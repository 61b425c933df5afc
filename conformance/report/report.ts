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
  const most = MOST - head.length;
  const cases = fitTexts(all, most);
  const fitted = fitExchanges(cases, most - sum(cases.map((result) => sizeOf(bareOf(result)))), ALL, ALL);
  const lines = fitted.map(({ again, exchanges, left, result }) =>
    JSON.stringify({
      ...result,
      ...(exchanges.length > 0 ? { exchanges } : {}),
      ...(again.length > 0 ? { again } : {}),
      ...(left > 0 ? { exchangesLeft: left } : {}),
    }),
  );
  return `${head.slice(0, head.lastIndexOf('[]'))}[\n    ${lines.join(',\n    ')}\n  ]\n}\n`;
}

/** Cuts the texts of a run that fails everywhere, so that its cases have at most `most` bytes. */
function fitTexts(cases: readonly CaseResult[], most: number): readonly CaseResult[] {
  const bare = cases.map(bareOf);
  if (sum(bare.map(sizeOf)) <= most) return cases;
  const others = sum(bare.map(({ expected, found, message, ...rest }) => sizeOf(rest)));
  const each = Math.max(20, Math.floor((most - others) / (3 * cases.length)) - 20);
  return cases.map((result) => {
    const { expected, found, message } = result;
    return {
      ...result,
      ...(message === undefined ? {} : { message: oneLine(message, each) }),
      ...(expected === undefined ? {} : { expected: oneLine(expected, each) }),
      ...(found === undefined ? {} : { found: oneLine(found, each) }),
    };
  });
}

function bareOf({ again: _, exchanges: __, ...result }: CaseResult): CaseResult {
  return result;
}

/** The bytes of a case with its place in the list, and with a number of exchanges that were left out. */
function sizeOf(result: object): number {
  return Buffer.byteLength(JSON.stringify(result)) + 30;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

export type FormatName = keyof typeof FORMATS;
