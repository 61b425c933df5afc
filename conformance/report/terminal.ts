import { styleText } from 'node:util';
import type { Requirement } from '../../spec/requirements.ts';
import { type CaseResult, isConformant, OUTCOMES, type Outcome, type Results } from '../outcome.ts';
import type { Exchange } from '../target.ts';
import { curlLine } from './curl.ts';

export type TerminalOptions = {
  readonly color: boolean;
  /** For the section and the words of the source that a failed case is about. */
  readonly requirements: ReadonlyMap<string, Requirement>;
  /** How many failures are shown in full. Default 20. */
  readonly most?: number;
};

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

const STYLES: Readonly<Record<Outcome, Style>> = {
  pass: 'green',
  skip: 'gray',
  blocked: 'yellow',
  fail: 'red',
  error: 'magenta',
};

/** The report of a run for a terminal: the table first, each failure with its exchange, the verdict last. */
export function renderTerminal(results: Results, options: TerminalOptions): string {
  const paint: Paint = (style, text) =>
    options.color ? styleText(style, text, { validateStream: false }) : text;
  const most = options.most ?? 20;
  const bad = results.cases.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'skip');
  const blocks = [
    renderTable(results, paint),
    ...bad.slice(0, most).map((result) => renderCase(result, options, paint)),
    ...(bad.length > most
      ? [`${bad.length - most} more are not shown here; --json FILE writes all of them.`]
      : []),
    ...renderSkipped(results, paint),
    ...(results.leftovers.length > 0
      ? [`Not removed, please look after them: ${results.leftovers.slice(0, 50).join(', ')}`]
      : []),
    renderVerdict(results, paint),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** Models down, rule groups across; a cell counts passed cases, and names what stands against them. */
function renderTable(results: Results, paint: Paint): string {
  const groups = [...new Set(results.cases.map(groupOf))];
  const models = [...new Set(results.cases.map(({ model }) => model))];
  const cells = new Map<string, CaseResult[]>();
  for (const result of results.cases) {
    const key = `${result.model} ${groupOf(result)}`;
    cells.set(key, [...(cells.get(key) ?? []), result]);
  }
  const widest = Math.max(5, ...models.map((model) => model.length));
  const widths = groups.map((group) => Math.max(group.length, 7));
  const head = ['model'.padEnd(widest), ...groups.map((group, index) => group.padStart(widths[index] ?? 0))];
  const rows = models.map((model) => [
    model.padEnd(widest),
    ...groups.map((group, index) => renderCell(cells.get(`${model} ${group}`), widths[index] ?? 0, paint)),
  ]);
  return [paint('bold', head.join('  ')), ...rows.map((row) => row.join('  '))].join('\n');
}

function renderCell(results: readonly CaseResult[] | undefined, width: number, paint: Paint): string {
  if (!results) return paint('gray', '-'.padStart(width));
  const gravest = results.reduce<Outcome>(
    (worst, { outcome }) => (rank(outcome) > rank(worst) ? outcome : worst),
    'pass',
  );
  const passed = results.filter(({ outcome }) => outcome === 'pass' || outcome === 'skip').length;
  const text = passed === results.length ? String(passed) : `${passed}/${results.length}`;
  return paint(gravest === 'skip' ? 'green' : STYLES[gravest], text.padStart(width));
}

function renderCase(result: CaseResult, { requirements }: TerminalOptions, paint: Paint): string {
  const requirement = requirements.get(result.requirement);
  const lines = [
    `${paint(STYLES[result.outcome], result.outcome.toUpperCase())} ${paint('bold', result.id)}`,
  ];
  if (result.message) lines.push(`  ${result.message}`);
  if (result.expected !== undefined)
    lines.push(`  expected  ${result.expected}`, `  found     ${result.found}`);
  const source = requirement ? `${requirement.says} (section ${requirement.section})` : result.requirement;
  lines.push(
    result.setting === undefined
      ? `  stated    ${source}`
      : `  assumed   setting ${result.setting}; the source leaves it open: ${source}`,
  );
  const exchange = result.exchanges?.at(-1);
  if (exchange) lines.push(...renderExchange(exchange, paint).map((line) => `  ${line}`));
  return lines.join('\n');
}

function renderExchange(exchange: Exchange, paint: Paint): string[] {
  const { request, response } = exchange;
  const body = oneLine(response.body);
  return [
    `sent      ${request.method} ${request.url}${request.body ? ` ${oneLine(request.body)}` : ''}`,
    `answered  ${response.status}${body ? ` ${body}` : ''}`,
    paint('gray', `again     ${curlLine(exchange)}`),
  ];
}

/** Why cases were passed over, each reason once. */
function renderSkipped(results: Results, paint: Paint): string[] {
  const reasons = new Map<string, number>();
  for (const { outcome, message } of results.cases)
    if (outcome === 'skip') reasons.set(message ?? '', (reasons.get(message ?? '') ?? 0) + 1);
  if (reasons.size === 0) return [];
  const shown = [...reasons]
    .slice(0, 10)
    .map(([reason, number]) => `  ${String(number).padStart(4)} × ${reason}`);
  const more = reasons.size > 10 ? [`  and ${reasons.size - 10} more reasons`] : [];
  return [[paint('gray', 'Skipped'), ...shown, ...more].join('\n')];
}

function renderVerdict(results: Results, paint: Paint): string {
  const { catalogue, counts, durationMs, profile, requests, target } = results;
  const conformant = isConformant(results);
  const word = conformant ? paint('green', 'CONFORMANT') : paint('red', 'NOT CONFORMANT');
  const numbers = OUTCOMES.filter(
    (outcome) => counts[outcome] > 0 || outcome === 'pass' || outcome === 'fail',
  )
    .map((outcome) => `${counts[outcome]} ${outcome}`)
    .join(' · ');
  const spoken =
    profile.differs.length === 0 ? profile.name : `${profile.name} (${profile.differs.join(', ')})`;
  return [
    `${word}  ${target} against ${catalogue.title} ${catalogue.version}`,
    `${numbers} · ${requests} requests · ${(durationMs / 1000).toFixed(1)} s`,
    `profile ${spoken}`,
  ].join('\n');
}

function groupOf({ rule }: CaseResult): string {
  return rule.split('.')[0] ?? rule;
}

function rank(outcome: Outcome): number {
  return OUTCOMES.indexOf(outcome);
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
