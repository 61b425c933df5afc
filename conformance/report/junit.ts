import XMLBuilder from 'fast-xml-builder';
import { type CaseResult, countsAgainst, type Results } from '../results/results.ts';
import { remarksOn, verdictOf } from '../results/verdict.ts';
import { causesOf, SHOWN_OF_CAUSE } from './causes.ts';
import { exchangeText, type Fitted, fitExchanges } from './exchanges.ts';
import { groupOf, standingOf, statementOf } from './summary.ts';
import { oneLine } from './text.ts';

/** Characters of exchanges kept for a case: CI systems refuse files that are too large. */
const LONGEST_OUTPUT = 20_000;
/** Characters of exchanges of all cases; escaped they are more. */
const MOST_IN_FILE = 250_000;

type Element = Record<string, unknown>;

/**
 * The run as JUnit XML: a suite a model, a case a case. What counts against the target is a failure; advice and
 * excused cases are skipped with the reason, so that CI judges as the exit code does. What is about the run as a
 * whole has a suite of its own.
 */
export function renderJunit(results: Results): string {
  const fitted = fitExchanges(results.cases, MOST_IN_FILE);
  const causes = causesOf(results.cases);
  /** The place of a case in its cause. */
  const places = new Map(
    causes.flatMap(({ cases }, index) =>
      cases.map(({ id }, order): [string, Place] => [id, { cause: index + 1, order, of: cases.length }]),
    ),
  );
  const models = Map.groupBy(fitted, ({ result }) => result.model);
  const suites: [name: string, tests: readonly Test[]][] = [
    ...[...models].map(([model, cases]): [string, Test[]] => [
      model,
      cases.map((fit) => testOf(fit, results, places.get(fit.result.id))),
    ]),
    ['run', testsOfRun(results)],
  ];
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
      ...numbers(suites.flatMap(([, tests]) => tests)),
      '@time': String(results.durationMs / 1000),
      testsuite: suites
        .filter(([, tests]) => tests.length > 0)
        .map(([name, tests]) => ({
          '@name': attribute(name),
          ...numbers(tests),
          '@timestamp': attribute(results.startedAt),
          testcase: tests.map(({ element }) => element),
        })),
    },
  });
  return `${text.trimEnd()}\n`;
}

function numbers(tests: readonly Test[]): Element {
  const count = (kind: Kind) => String(tests.filter((test) => test.kind === kind).length);
  return {
    '@tests': String(tests.length),
    '@failures': count('failure'),
    '@errors': count('error'),
    '@skipped': count('skipped'),
  };
}

/** Which cause a case has, and its position among the cases of that cause. */
type Place = { readonly cause: number; readonly order: number; readonly of: number };

type Kind = 'passed' | 'skipped' | 'failure' | 'error';
type Test = { readonly kind: Kind; readonly element: Element };

/** What no case says: a baseline that is stale, a coverage that is low, and why a run is not conclusive. */
function testsOfRun(results: Results): Test[] {
  const kind = verdictOf(results) === 'not conformant' ? 'failure' : 'error';
  const stale = results.staleBaseline.map((entry) =>
    testOfRun(
      'failure',
      `baseline:${entry}`,
      'stale',
      `${entry} no longer fails. Remove it from the baseline.`,
    ),
  );
  return [
    ...stale,
    ...remarksOn(results).map((remark) => testOfRun(kind, 'the run is conclusive', 'run', remark)),
  ];
}

function testOfRun(kind: 'failure' | 'error', name: string, type: string, message: string): Test {
  const element = {
    '@classname': 'run',
    '@name': attribute(name),
    [kind]: { '@message': attribute(message), '@type': type },
  };
  return { kind, element };
}

function kindOf(result: CaseResult): Kind {
  // No failure is proven, and green it is not.
  const isFlaky = standingOf(result) === 'flaky' && result.level !== 'advice';
  if (result.outcome === 'error' || isFlaky) return 'error';
  if (countsAgainst(result)) return 'failure';
  return result.outcome === 'pass' ? 'passed' : 'skipped';
}

function testOf(fitted: Fitted, results: Results, place: Place | undefined): Test {
  const kind = kindOf(fitted.result);
  return { kind, element: testcase(fitted, kind, results, place) };
}

function testcase(
  { again, exchanges, result }: Fitted,
  kind: Kind,
  results: Results,
  place: Place | undefined,
): Element {
  const named = { '@classname': attribute(groupOf(result)), '@name': attribute(result.id) };
  if (kind === 'passed') return named;
  // What has one cause is told in full a few times only: thousands of cases would fill megabytes.
  const { cause, of, order } = place ?? { cause: 0, of: 1, order: 0 };
  if (order >= SHOWN_OF_CAUSE) return { ...named, [kind]: { '@message': `cause ${cause}` } };
  const message = attribute(`${of > SHOWN_OF_CAUSE ? `cause ${cause}: ` : ''}${reason(result)}`);
  const output = [...exchanges, ...again].map(exchangeText).join('\n\n---\n\n');
  return {
    ...named,
    [kind]:
      kind === 'skipped'
        ? { '@message': message }
        : {
            '@message': message,
            '@type': result.outcome,
            ...(order === 0 ? { '#text': clean(details(result, results)) } : {}),
          },
    ...(output === '' ? {} : { 'system-out': clean(cut(output)) }),
  };
}

function reason(result: CaseResult): string {
  const { excused, expected, found, message = result.title } = result;
  const sides =
    expected === undefined ? '' : `; expected ${oneLine(expected)}, found ${oneLine(found ?? 'nothing')}`;
  if (excused !== undefined) return `excused (${excused}): ${message}${sides}`;
  return `${standingOf(result) === 'advice' ? 'advice: ' : ''}${message}${sides}`;
}

function details(result: CaseResult, results: Results): string {
  const statement = statementOf(result, results);
  const lines = [
    result.title,
    result.message,
    result.expected === undefined ? undefined : `expected: ${result.expected}`,
    result.found === undefined ? undefined : `found: ${result.found}`,
    result.setting === undefined ? undefined : `assumed: setting ${result.setting}`,
    statement ? `source, section ${statement.section}: ${statement.says}` : `source: ${result.requirement}`,
    result.retried === undefined ? undefined : `retry: ${result.retried}`,
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
