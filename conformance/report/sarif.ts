import type { Log, LogicalLocation, Notification, ReportingDescriptor, Result, Run } from 'sarif';
import { operationId, schemaName } from '../../spec/binding.ts';
import { KIT } from '../../spec/files/kit-file.ts';
import type { CaseResult, Results } from '../results/results.ts';
import { notBuiltLine, remarksOn } from '../results/verdict.ts';
import { outcomeOf } from '../target/exchange.ts';
import { againLine, causesOf } from './causes.ts';
import { curlLine } from './exchanges.ts';
import { type Standing, standingOf, statementOf } from './summary.ts';
import { oneLine } from './text.ts';

/** Maximum number of results per cause. The first one has the number of cases. */
const MOST_OF_CAUSE = 20;
const MOST_RESULTS = 700;

const SEVERITIES: Partial<Record<Standing, 'error' | 'warning' | 'note'>> = {
  fail: 'error',
  blocked: 'error',
  flaky: 'warning',
  advice: 'warning',
  excused: 'note',
};

/** Renders the failed cases as SARIF 2.1.0. An error of the suite is a notification of the tool, not a result. */
export function renderSarif(results: Results): string {
  const causes = causesOf(results.cases).filter(({ standing }) => standing !== 'error');
  const counts = new Map(causes.map(({ cases, first }) => [first, cases.length]));
  const all = causes.flatMap(({ cases }) => cases).length;
  const shown = causes.flatMap(({ cases }) => cases.slice(0, MOST_OF_CAUSE)).slice(0, MOST_RESULTS);
  const rules = [...Map.groupBy(shown, ({ rule }) => rule).values()].map(([first]) => first as CaseResult);
  const index = new Map(rules.map(({ rule }, place) => [rule, place]));
  const run: Run = {
    tool: {
      driver: {
        name: KIT.name,
        version: KIT.version,
        rules: rules.map((result) => describeRule(result, results)),
      },
    },
    invocations: [
      {
        executionSuccessful: results.counts.error === 0 && remarksOn(results).length === 0,
        startTimeUtc: results.startedAt,
        toolExecutionNotifications: notices(results, all - shown.length),
      },
    ],
    properties: { target: results.target, profile: results.profile, counts: results.counts },
    results: shown.map((result) =>
      describeResult(result, results, index.get(result.rule) ?? -1, counts.get(result) ?? 1),
    ),
  };
  const log: Log = { $schema: SCHEMA, version: '2.1.0', runs: [run] };
  return `${JSON.stringify(log, null, 2)}\n`;
}

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

function describeRule(result: CaseResult, results: Results): ReportingDescriptor {
  const statement = statementOf(result, results);
  const source = statement
    ? `Section ${statement.section} of the source: ${statement.says}`
    : `Requirement ${result.requirement}.`;
  const assumed =
    result.setting === undefined
      ? ''
      : ` The source leaves this open. The profile assumes it with the setting ${result.setting}.`;
  return {
    id: result.rule,
    shortDescription: { text: result.title },
    fullDescription: { text: source },
    help: { text: `${result.title}\n\n${source}${assumed}` },
    defaultConfiguration: { level: result.level === 'advice' ? 'warning' : 'error' },
    properties: { level: result.level, requirement: result.requirement },
  };
}

function describeResult(
  result: CaseResult,
  results: Results,
  ruleIndex: number,
  occurrenceCount: number,
): Result {
  const exchange = result.exchanges?.at(-1);
  const curl = exchange && curlLine(exchange);
  const facts = [
    result.message ?? result.title,
    ...(result.expected === undefined ? [] : [`Expected: ${oneLine(result.expected)}`]),
    ...(result.found === undefined ? [] : [`Found: ${oneLine(result.found)}`]),
    ...(exchange
      ? [`Sent: ${exchange.request.method} ${exchange.request.url}\nReceived: ${outcomeOf(exchange)}`]
      : []),
  ];
  return {
    ruleId: result.rule,
    ruleIndex,
    occurrenceCount,
    level: SEVERITIES[standingOf(result)] ?? 'none',
    message: { text: facts.join('\n') },
    locations: [
      {
        // The document that `generate` writes, because a target has no files.
        physicalLocation: { artifactLocation: { uri: 'openapi.yaml' }, region: { startLine: 1 } },
        logicalLocations: [logicalLocation(result)],
      },
    ],
    partialFingerprints: { 'caseId/v1': result.id },
    ...(result.excused === undefined
      ? {}
      : { suppressions: [{ kind: 'external', justification: result.excused }] }),
    properties: {
      case: result.id,
      outcome: result.outcome,
      ...(result.retried === undefined ? {} : { retried: result.retried }),
      command: againLine(results, result),
      ...(curl === undefined ? {} : { curl }),
    },
  };
}

/** Returns the operation or schema of the OpenAPI document that a case tests. */
function logicalLocation({ model, field, operation }: CaseResult): LogicalLocation {
  if (operation !== undefined) {
    const name = operationId(operation, model);
    return { name, fullyQualifiedName: field === undefined ? name : `${name}.${field}`, kind: 'function' };
  }
  const schema = schemaName(model);
  return field === undefined
    ? { name: schema, fullyQualifiedName: schema, kind: 'type' }
    : { name: field, fullyQualifiedName: `${schema}.${field}`, kind: 'member' };
}

function notices(results: Results, left: number): Notification[] {
  const error = (text: string): Notification => ({ level: 'error', message: { text } });
  const errors = results.cases
    .filter(({ outcome }) => outcome === 'error')
    .slice(0, 100)
    .map(({ id, message = '' }) => error(`${id}: ${message}`));
  const stale = results.staleBaseline
    .slice(0, 100)
    .map((entry) => error(`The baseline is stale: ${entry} passes now. Remove its entry.`));
  const remarks = remarksOn(results).map(error);
  const more: Notification[] =
    left > 0 ? [{ level: 'warning', message: { text: `${left} more results are omitted.` } }] : [];
  const notBuilt = notBuiltLine(results, 50);
  if (notBuilt !== undefined) more.push({ level: 'note', message: { text: notBuilt } });
  return [...remarks, ...errors, ...stale, ...more];
}
