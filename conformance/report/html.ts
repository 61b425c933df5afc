import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { kitFile } from '../../spec/files/kit-file.ts';
import { UsageError, whyFailed } from '../../spec/files/usage-error.ts';
import { type CaseResult, headline, type Results, remarksOn, verdictOf } from '../results/results.ts';
import { oneLine, showDirections } from '../results/text.ts';
import type { Exchange } from '../target/exchange.ts';
import { curlLine, fitExchanges } from './exchanges.ts';
import {
  againLine,
  type Cause,
  causesOf,
  extentOf,
  problemOf,
  profileLine,
  STANDINGS,
  type Standing,
  standingOf,
} from './summary.ts';

/**
 * Renders the run as one HTML page that needs no network: the causes, a matrix of models and rule groups, the cases
 * with their exchanges, the statements of the source, and the coverage.
 */
export function renderHtml(results: Results): string {
  const style = readBuilt('report.css');
  const script = readBuilt('report.js').replaceAll('</', '<\\/');
  const { catalogue, target } = results;
  const name = `${catalogue.title} ${catalogue.version}: ${target}, ${headline(results)}`;
  const title = escapeHtml(showDirections(name));
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<noscript><p>${title}. This page needs JavaScript, which is disabled.</p></noscript>
<div id="app"></div>
<script type="application/json" id="results">${embed(pageData(results))}</script>
<script>${script}</script>
</body>
</html>
`;
}

/**
 * Returns JSON for a script element. It contains no `<`, so it can't end the element or begin a comment. In its strings,
 * the page reads a character that changes the direction of text as the six characters of its escape.
 */
function embed(data: PackedPage): string {
  const shown = (_: string, value: unknown) => (typeof value === 'string' ? showDirections(value) : value);
  return JSON.stringify(data, shown).replaceAll('<', '\\u003c');
}

/** Reads the script or the styles of the page, which `npm ci` builds. Throws UsageError if they are missing. */
function readBuilt(name: string): string {
  const path = kitFile(`dist/web/report/${name}`);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `The HTML report is not built: ${path} can't be read, because ${whyFailed(error)}. Run "npm ci" in the clone, or "npm run prepare".`,
    );
  }
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The data in the page, without repetitions of a case's ID and rule. */
export type PackedPage = ReturnType<typeof pageData>;

type RuleFacts = Pick<CaseResult, 'title' | 'level' | 'requirement' | 'setting'>;
export type PackedCase = Partial<PageCase> & Pick<PageCase, 'id' | 'standing'>;

export type PageCase = Omit<CaseResult, 'exchanges' | 'again' | 'operation'> & {
  readonly standing: Standing;
  readonly group: string;
  readonly exchanges: readonly PageExchange[];
  /** The exchanges of the second try, if the case passed then. */
  readonly again: readonly PageExchange[];
  readonly left: number;
  /** Its place among the causes. */
  readonly cause?: number;
};

export type PageExchange = Exchange & { readonly curl?: string };

/** Maximum number of characters of messages, apart from those of the causes. */
const MOST_CHARACTERS = 200_000;
/** Maximum number of characters of exchanges. */
const MOST_IN_PAGE = 350_000;
const MOST_EXCHANGES = 12;
const MOST_MODELS = 6;

/** Returns the data of the page, within its size limits. */
function pageData(results: Results) {
  const causes = causesOf(results.cases);
  const causeOf = new Map(causes.flatMap(({ cases }, index) => cases.map(({ id }) => [id, index] as const)));
  const rules: Record<string, RuleFacts> = {};
  let free = MOST_CHARACTERS;
  const cases = fitExchanges(results.cases, MOST_IN_PAGE, MOST_EXCHANGES).map((fitted): PackedCase => {
    const { expected, field, found, id, message, model, operation, outcome, ...more } = fitted.result;
    const { level, requirement, rule, setting, title, ...rest } = more;
    rules[rule] ??= { title, level, requirement, ...(setting === undefined ? {} : { setting }) };
    const standing = standingOf(fitted.result);
    const texts = { expected, found, message };
    free -= JSON.stringify(texts).length;
    const cause = causeOf.get(id);
    return {
      ...rest,
      id,
      ...(/[.=]/.test(model) ? { model } : {}),
      standing,
      ...(outcome === standing ? {} : { outcome }),
      // Omitted texts are like those of the first case of the cause.
      ...(free > 0 ? texts : {}),
      ...(fitted.exchanges.length > 0 ? { exchanges: fitted.exchanges.map(withCurl) } : {}),
      ...(fitted.again.length > 0 ? { again: fitted.again.map(withCurl) } : {}),
      ...(fitted.left > 0 ? { left: fitted.left } : {}),
      ...(cause === undefined ? {} : { cause }),
    };
  });
  return {
    ...results,
    verdict: verdictOf(results),
    headline: headline(results),
    profileLine: profileLine(results),
    remarks: remarksOn(results),
    standings: STANDINGS,
    rules,
    causes: causes.map((cause) => pageCause(cause, results)),
    cases,
  };
}

function pageCause(cause: Cause, results: Results) {
  const { about, cases, first, models, standing } = cause;
  const { expected, found } = first;
  return {
    standing,
    about,
    problem: oneLine(problemOf(cause)),
    extent: extentOf(cause),
    expected: expected && oneLine(expected),
    found: found && oneLine(found),
    count: cases.length,
    models: models.slice(0, MOST_MODELS),
    /** The number of models that are not named. */
    others: Math.max(0, models.length - MOST_MODELS),
    again: againLine(results, first),
  };
}

function withCurl(exchange: Exchange): PageExchange {
  const curl = curlLine(exchange);
  return { ...exchange, ...(curl === undefined ? {} : { curl }) };
}
