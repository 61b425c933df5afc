import type { styleText } from 'node:util';
import type { Requirement } from '../../spec/requirements.ts';
import type { CaseResult } from '../results/results.ts';
import type { Exchange } from '../target/exchange.ts';
import { type Cause, modelsLine } from './causes.ts';
import { counterpart } from './counterpart.ts';
import { curlLine } from './exchanges/curl.ts';
import { type Standing, standingOf } from './summary.ts';
import { oneLine, plainLine, plainLines, plural } from './text.ts';

export type TerminalOptions = {
  readonly color: boolean;
  /** For the section and the words of the source that a failed case is about. */
  readonly requirements: ReadonlyMap<string, Requirement>;
  /** How many kinds of failure are shown in full. Default 20. */
  readonly most?: number;
};

type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

/** A standing has a color and a word, never only a color. */
export const STYLES: Readonly<Record<Standing, Style>> = {
  pass: 'green',
  skip: 'gray',
  excused: 'gray',
  advice: 'cyan',
  flaky: 'yellow',
  blocked: 'yellow',
  fail: 'red',
  error: 'magenta',
};

/** A cause in a line, and the command that shows it again. */
export function renderCause({ about, cases, first, models, standing }: Cause, paint: Paint): string {
  const exchange = first.exchanges?.at(-1);
  const head = `${paint(STYLES[standing], standing.toUpperCase().padEnd(7))} ${paint('bold', String(cases.length).padStart(5))} ×`;
  return [
    `${head} ${about === undefined ? '' : `${about}: `}${oneLine(first.message ?? first.title, 160)} · ${modelsLine({ models }, 3)}`,
    ...(exchange ? [paint('gray', `                ${plainLine(curlLine(exchange))}`)] : []),
  ].join('\n');
}

/** Cases with one cause: the first in full, the others by name. */
export function renderFirst({ cases, first }: Cause, options: TerminalOptions, paint: Paint): string {
  const others = cases.slice(1);
  if (others.length === 0) return renderCase(first, options, paint);
  const named = others.slice(0, 5).map(({ id }) => id);
  const more = others.length > 5 ? ` and ${others.length - 5} more` : '';
  return [
    renderCase(first, options, paint),
    paint('gray', `  also      ${plural(others.length, 'similar case')}: ${named.join(', ')}${more}`),
  ].join('\n');
}

function renderCase(result: CaseResult, { requirements }: TerminalOptions, paint: Paint): string {
  const standing = standingOf(result);
  const requirement = requirements.get(result.requirement);
  const again = {
    reproduced: ' (reproduced when tried again)',
    'not reproduced': ' (not reproduced when tried again)',
  };
  const lines = [
    `${paint(STYLES[standing], standing.toUpperCase())} ${paint('bold', result.id)}${result.retried ? again[result.retried] : ''}`,
  ];
  const [message, ...rest] = plainLines(result.message ?? '');
  if (message) lines.push(`  ${message}`, ...rest.map((line) => `  | ${line}`));
  if (result.expected !== undefined)
    lines.push(`  expected  ${plainLine(result.expected)}`, `  found     ${plainLine(result.found ?? '')}`);
  const source = requirement ? `Section ${requirement.section}: ${requirement.says}` : result.requirement;
  lines.push(renderSource(result, source));
  const exchange = result.exchanges?.at(-1);
  if (result.sequence)
    for (const earlier of result.exchanges?.slice(0, -1) ?? [])
      lines.push(paint('gray', `  before    ${plainLine(curlLine(earlier))}`));
  if (exchange) lines.push(...renderExchange(exchange, paint).map((line) => `  ${line}`));
  const later = exchange && counterpart(exchange, result.again ?? []);
  if (later) lines.push(`  retry     ${answerLine(later)}`);
  return lines.join('\n');
}

function renderSource({ level, setting }: CaseResult, source: string): string {
  if (setting !== undefined) return `  assumed   setting ${setting}. ${source}`;
  return level === 'advice' ? `  related   ${source}` : `  stated    ${source}`;
}

function renderExchange(exchange: Exchange, paint: Paint): string[] {
  const { request } = exchange;
  return [
    `sent      ${request.method} ${plainLine(request.url)}${request.body ? ` ${oneLine(request.body)}` : ''}`,
    `received  ${answerLine(exchange)}`,
    paint('gray', `repeat    ${plainLine(curlLine(exchange))}`),
  ];
}

function answerLine(exchange: Exchange): string {
  const { body, status } = exchange.response;
  return `${status}${plainLine(leadsTo(exchange))}${body ? ` ${oneLine(body)}` : ''}`;
}

/** A redirect says in a header what to look at. */
function leadsTo({ response: { headers, status } }: Exchange): string {
  return status >= 300 && status < 400 && headers.location !== undefined ? ` to ${headers.location}` : '';
}
