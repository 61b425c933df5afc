import XMLBuilder from 'fast-xml-builder';
import { type CaseResult, countsAgainst, type Results } from '../outcome.ts';
import { exchangeText } from './exchange-text.ts';
import { groupOf, oneLine, standingOf, statementOf } from './summary.ts';

/** Characters of exchanges kept for a case: CI systems refuse files that are too large. */
const LONGEST_OUTPUT = 20_000;

type Element = Record<string, unknown>;

/**
 * The run as JUnit XML: a suite a model, a case a case. What counts against the target is a failure; advice and
 * excused cases are skipped with the reason, so that CI judges as the exit code does.
 */
export function renderJunit(results: Results): string {
  const suites = Map.groupBy(results.cases, ({ model }) => model);
  const builder = new XMLBuilder({
    attributeNamePrefix: '@',
    format: true,
    ignoreAttributes: false,
    suppressBooleanAttributes: false,
    suppressEmptyNode: true,
  });
  const text = builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      '@name': attribute(`${results.catalogue.title} ${results.catalogue.version}: ${results.target}`),
      ...numbers(results.cases),
      '@time': String(results.durationMs / 1000),
      testsuite: [...suites].map(([model, cases]) => ({
        '@name': attribute(model),
        ...numbers(cases),
        '@timestamp': attribute(results.startedAt),
        testcase: cases.map((result) => testcase(result, results)),
      })),
    },
  });
  return `${text.trimEnd()}\n`;
}

function numbers(cases: readonly CaseResult[]): Element {
  const kinds = cases.map(kindOf);
  const count = (kind: Kind) => String(kinds.filter((one) => one === kind).length);
  return {
    '@tests': String(cases.length),
    '@failures': count('failure'),
    '@errors': count('error'),
    '@skipped': count('skipped'),
  };
}

type Kind = 'passed' | 'skipped' | 'failure' | 'error';

function kindOf(result: CaseResult): Kind {
  if (result.outcome === 'error') return 'error';
  if (countsAgainst(result)) return 'failure';
  return result.outcome === 'pass' ? 'passed' : 'skipped';
}

function testcase(result: CaseResult, results: Results): Element {
  const kind = kindOf(result);
  const named = { '@classname': attribute(groupOf(result)), '@name': attribute(result.id) };
  if (kind === 'passed') return named;
  const message = attribute(reason(result));
  const output = (result.exchanges ?? []).map(exchangeText).join('\n\n---\n\n');
  return {
    ...named,
    [kind]:
      kind === 'skipped'
        ? { '@message': message }
        : { '@message': message, '@type': result.outcome, '#text': clean(details(result, results)) },
    ...(output === '' ? {} : { 'system-out': clean(cut(output)) }),
  };
}

function reason(result: CaseResult): string {
  const { message = result.title, excused } = result;
  if (excused !== undefined) return `excused (${excused}): ${message}`;
  return standingOf(result) === 'advice' ? `advice: ${message}` : message;
}

function details(result: CaseResult, results: Results): string {
  const statement = statementOf(result, results);
  const lines = [
    result.title,
    result.message,
    result.expected === undefined ? undefined : `expected: ${result.expected}`,
    result.found === undefined ? undefined : `found: ${result.found}`,
    result.setting === undefined ? undefined : `assumed: setting ${result.setting}`,
    statement ? `source: ${statement.says} (section ${statement.section})` : `source: ${result.requirement}`,
    result.retried === undefined ? undefined : `a second try, alone: ${result.retried}`,
  ];
  return lines.filter((line) => line !== undefined).join('\n');
}

/** Parsers turn line ends in attributes into spaces anyway. */
function attribute(text: string): string {
  return clean(oneLine(text, 1000));
}

function cut(text: string): string {
  return text.length <= LONGEST_OUTPUT
    ? text
    : `${text.slice(0, LONGEST_OUTPUT)}… (${text.length} characters)`;
}

/** Replaces what XML 1.0 has no way to write, even escaped: control characters, lone surrogates, U+FFFE, U+FFFF. */
function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that have to go
  return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
}
