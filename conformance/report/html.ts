import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { kitFile } from '../../spec/files/kit-file.ts';
import type { CaseResult, Results } from '../results/results.ts';
import { headline, remarksOn, type Verdict, verdictOf } from '../results/verdict.ts';
import type { Exchange } from '../target/exchange.ts';
import { type Cause, causesOf } from './causes.ts';
import { curlLine, fitExchanges } from './exchanges.ts';
import { findingLines, STANDINGS, type Standing, standingOf } from './summary.ts';
import { oneLine } from './text.ts';

/** Characters of messages that a page holds beside those of its causes. */
const MOST_CHARACTERS = 200_000;

/** Characters of exchanges, each of which stands there with its command line. */
const MOST_IN_PAGE = 350_000;

const MOST_EXCHANGES = 12;

/** Models that a cause names. */
const MOST_MODELS = 6;

const STYLES = ['colors', 'base', 'head', 'causes', 'matrix', 'cases', 'ledger', 'narrow'];
/** Parts of one script, in the order they run: each sees what stands before it. */
const SCRIPTS = [
  'dom',
  'state',
  'head',
  'filters',
  'causes',
  'matrix',
  'exchange',
  'cases',
  'ledger',
  'page',
];

/**
 * The run as one HTML page that asks the network for nothing: what would have to be mended, a matrix of models and rule
 * groups, the cases with their exchanges, the statements of the source and the coverage.
 */
export function renderHtml(results: Results): string {
  const style = STYLES.map((name) => readPart(`${name}.css`)).join('\n');
  const script = `(() => {\n'use strict';\n${SCRIPTS.map((name) => readPart(`${name}.js`)).join('\n')}})();`;
  const title = escapeHtml(
    `${results.catalogue.title} ${results.catalogue.version}: ${results.target}, ${headline(results)}`,
  );
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
<script type="application/json" id="results">${embed(pageData(results))}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** JSON inside a script element: without `<` nothing in it can end the element or begin a comment. */
function embed(data: PackedPage): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

function readPart(name: string): string {
  // A browser reads line ends as \n before it compares the hash.
  return readFileSync(kitFile(`conformance/report/html/${name}`), 'utf8').replaceAll('\r\n', '\n');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** What the page's script is given. */
type PageData = Omit<Results, 'cases' | 'findings'> & {
  /** The breaches of cases that were not selected. */
  readonly findings: readonly string[];
  readonly verdict: Verdict;
  /** The verdict for people. */
  readonly headline: string;
  /** What keeps the run from being green besides its cases. */
  readonly remarks: readonly string[];
  /** In rising order of gravity. */
  readonly standings: readonly Standing[];
  /** What would have to be mended, the gravest first. */
  readonly causes: readonly PageCause[];
  readonly cases: readonly PageCase[];
};

type PageCause = {
  readonly standing: Standing;
  readonly about?: string;
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
  /** What the second try of the first case gave. */
  readonly retried?: CaseResult['retried'];
  readonly count: number;
  /** The first ones, and how many others. */
  readonly models: readonly string[];
  readonly others: number;
  readonly curl?: string;
};

/** As the page is sent: what the id of a case and its rule say is said once. */
type PackedPage = Omit<PageData, 'cases'> & {
  readonly rules: Readonly<Record<string, RuleFacts>>;
  readonly cases: readonly PackedCase[];
};

type RuleFacts = Pick<CaseResult, 'title' | 'level' | 'requirement' | 'setting'>;

type PackedCase = Partial<PageCase> & Pick<PageCase, 'id' | 'standing'>;

type PageCase = Omit<CaseResult, 'exchanges' | 'again' | 'operation'> & {
  readonly standing: Standing;
  readonly group: string;
  readonly exchanges: readonly PageExchange[];
  /** Of the second try, where the case passed then. */
  readonly again: readonly PageExchange[];
  /** Exchanges of the case that the page has no room for. */
  readonly left: number;
  /** Its place among the causes. */
  readonly cause?: number;
};

type PageExchange = Exchange & { readonly curl: string };

/** The results as the page is sent them, within its size. */
function pageData(results: Results): PackedPage {
  const causes = causesOf(results.cases);
  const causeOf = new Map(causes.flatMap(({ cases }, index) => cases.map(({ id }) => [id, index] as const)));
  const rules: Record<string, RuleFacts> = {};
  let free = MOST_CHARACTERS;
  const cases = fitExchanges(results.cases, MOST_IN_PAGE, MOST_EXCHANGES).map((fitted): PackedCase => {
    const { expected, found, message, operation, outcome, retried, ...rest } = fitted.result;
    const standing = standingOf(fitted.result);
    const texts = { expected, found, message };
    free -= JSON.stringify(texts).length;
    const cause = causeOf.get(rest.id);
    return {
      ...pack(rest, rules),
      standing,
      ...(outcome === standing ? {} : { outcome }),
      ...(cause !== undefined && causes[cause]?.first.retried === retried ? {} : { retried }),
      // What is left out is as in the first case of the cause.
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
    remarks: remarksOn(results),
    findings: findingLines(results),
    standings: STANDINGS,
    rules,
    causes: causes.map(pageCause),
    cases,
  };
}

/** A case without what its id says, and without what the first case of its rule says already. */
function pack<Case extends Pick<CaseResult, keyof RuleFacts | 'id' | 'rule' | 'model' | 'field'>>(
  result: Case,
  rules: Record<string, RuleFacts>,
) {
  const { field, level, model, requirement, rule, setting, title, ...rest } = result;
  const facts: RuleFacts = { title, level, requirement, ...(setting === undefined ? {} : { setting }) };
  rules[rule] ??= facts;
  const place = { rule, model, ...(field === undefined ? {} : { field }) };
  const isNamed = rest.id.split('=')[0] === `${rule}:${model}${field === undefined ? '' : `.${field}`}`;
  const isKnown = JSON.stringify(rules[rule]) === JSON.stringify(facts);
  return { ...rest, ...(isNamed ? {} : place), ...(isKnown ? {} : facts) };
}

function pageCause({ about, cases, first, models, standing }: Cause): PageCause {
  const { expected, found, message, retried, title } = first;
  const exchange = first.exchanges?.at(-1);
  return {
    standing,
    ...(about === undefined ? {} : { about }),
    message: oneLine(message ?? title),
    ...(expected === undefined ? {} : { expected: oneLine(expected) }),
    ...(found === undefined ? {} : { found: oneLine(found) }),
    ...(retried === undefined ? {} : { retried }),
    count: cases.length,
    models: models.slice(0, MOST_MODELS),
    others: Math.max(0, models.length - MOST_MODELS),
    ...(exchange ? { curl: curlLine(exchange) } : {}),
  };
}

function withCurl(exchange: Exchange): PageExchange {
  return { ...exchange, curl: curlLine(exchange) };
}
