import { XMLBuilder } from 'fast-xml-parser';
import {
  type CaseResult,
  countsAgainst,
  notBuiltLine,
  type Results,
  remarksOn,
  verdictOf,
} from '../results/results.ts';
import { oneLine, showDirections } from '../results/text.ts';
import { exchangeText, type Fitted, fitExchanges } from './exchanges.ts';
import { againLine, causesOf, factsOf, groupOf, SHOWN_OF_CAUSE, standingOf } from './summary.ts';

/** Maximum number of characters of exchanges per case, because CI systems refuse large files. */
const LONGEST_OUTPUT = 20_000;
/** Maximum number of characters of exchanges of all cases, before they are escaped. */
const MOST_IN_FILE = 250_000;

type Element = Record<string, unknown>;

/**
 * Renders the run as JUnit XML, with one suite per model. A result that counts against the target is a failure. Advice
 * and excused cases are skipped with the reason, so that CI agrees with the exit code. Remarks on the whole run have a
 * separate suite.
 */
export function renderJunit(results: Results): string {
  const fitted = fitExchanges(results.cases, MOST_IN_FILE);
  const causes = causesOf(results.cases);
  const places = new Map(
    causes.flatMap(({ cases }, index) =>
      cases.map(({ id }, order): [string, CausePlace] => [id, { cause: index + 1, order, of: cases.length }]),
    ),
  );
  const models = Map.groupBy(fitted, ({ result }) => result.model);
  const suites: [name: string, tests: readonly Test[]][] = [
    ...[...models].map(([model, cases]): [string, Test[]] => [
      model,
      cases.map((fitted) => {
        const kind = kindOf(fitted.result);
        return { kind, element: testcase(fitted, kind, results, places.get(fitted.result.id)) };
      }),
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
      ...counts(suites.flatMap(([, tests]) => tests)),
      '@time': String(results.durationMs / 1000),
      testsuite: suites
        .filter(([, tests]) => tests.length > 0)
        .map(([name, tests]) => ({
          '@name': attribute(name),
          ...counts(tests),
          '@skipped': countOf(tests, 'skipped'),
          '@timestamp': attribute(results.startedAt),
          testcase: tests.map(({ element }) => element),
        })),
    },
  });
  return `${showDirections(text.trimEnd())}\n`;
}

/** Returns the numbers of tests that the schema of Jenkins allows for one suite and for all suites. */
function counts(tests: readonly Test[]): Element {
  return {
    '@tests': String(tests.length),
    '@failures': countOf(tests, 'failure'),
    '@errors': countOf(tests, 'error'),
  };
}

function countOf(tests: readonly Test[], kind: Kind): string {
  return String(tests.filter((test) => test.kind === kind).length);
}

/** The cause of a case, and its position among the cases of that cause. */
type CausePlace = { readonly cause: number; readonly order: number; readonly of: number };

type Kind = 'passed' | 'skipped' | 'failure' | 'error';
type Test = { readonly kind: Kind; readonly element: Element };

/** Returns tests for a stale baseline, a low coverage, and the reasons for an inconclusive run. */
function testsOfRun(results: Results): Test[] {
  const kind = ['not conformant', 'incomplete'].includes(verdictOf(results)) ? 'failure' : 'error';
  const stale = results.staleBaseline.map((entry) =>
    testOfRun('failure', `baseline:${entry}`, 'stale', `${entry} is fixed. Remove it from the baseline.`),
  );
  const notBuilt = notBuiltLine(results, 50);
  return [
    ...stale,
    ...remarksOn(results).map((remark) => testOfRun(kind, 'the run is conclusive', 'run', remark)),
    ...(notBuilt === undefined ? [] : [testOfRun('skipped', 'all models are built', 'not built', notBuilt)]),
  ];
}

function testOfRun(kind: Exclude<Kind, 'passed'>, name: string, type: string, message: string): Test {
  const element = {
    '@classname': 'run',
    '@name': attribute(name),
    [kind]: { '@message': attribute(message), ...(kind === 'skipped' ? {} : { '@type': type }) },
  };
  return { kind, element };
}

function kindOf(result: CaseResult): Kind {
  // A flaky case is neither a proven failure nor a pass.
  const isFlaky = standingOf(result) === 'flaky' && result.level !== 'advice';
  if (result.outcome === 'error' || isFlaky) return 'error';
  if (countsAgainst(result)) return 'failure';
  return result.outcome === 'pass' ? 'passed' : 'skipped';
}

function testcase(
  { again, exchanges, result }: Fitted,
  kind: Kind,
  results: Results,
  { cause, of, order }: CausePlace = { cause: 0, of: 1, order: 0 },
): Element {
  const named = { '@classname': attribute(groupOf(result)), '@name': attribute(result.id) };
  if (kind === 'passed') return named;
  // Shows only a few cases of a cause in full, because thousands would fill megabytes.
  if (order >= SHOWN_OF_CAUSE) return { ...named, [kind]: { '@message': `cause ${cause}` } };
  const message = attribute(`${of > SHOWN_OF_CAUSE ? `cause ${cause}: ` : ''}${reason(result)}`);
  const output = [...exchanges, ...again].map(exchangeText).join('\n\n---\n\n');
  return {
    ...named,
    [kind]: {
      '@message': message,
      ...(kind !== 'skipped' && { '@type': result.outcome }),
      ...(kind !== 'skipped' && order === 0 && { '#text': clean(details(result, results)) }),
    },
    ...(output !== '' && { 'system-out': clean(output.slice(0, LONGEST_OUTPUT)) }),
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
  return [
    result.title,
    result.message ?? [],
    ...factsOf(result, results).map(([label, text]) => `${label}: ${text}`),
    result.retried === undefined ? [] : `retry: ${result.retried}`,
    `see it again: ${againLine(results, result)}`,
  ]
    .flat()
    .join('\n');
}

/** Returns text for an attribute, in one line, because parsers replace line ends there. */
function attribute(text: string): string {
  return clean(oneLine(text, 1000));
}

/** Replaces the characters that XML 1.0 can't contain: control characters, lone surrogates, U+FFFE, and U+FFFF. */
function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that have to go
  return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
}
