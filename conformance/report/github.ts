import { type Results, verdictOf } from '../outcome.ts';
import { type Alike, groupAlike } from './alike.ts';
import { countStandings, earlyEnd, oneLine, type Standing, standingOf, troubled } from './summary.ts';

/** GitHub shows no more for a run. */
const MOST = 50;

const COMMANDS: Partial<Record<Standing, 'error' | 'warning' | 'notice'>> = {
  error: 'error',
  fail: 'error',
  blocked: 'error',
  advice: 'warning',
  excused: 'notice',
};

/** Annotations as a GitHub workflow reads them from standard output: a line a kind of failure, the verdict last. */
export function renderGithub(results: Results): string {
  const alike = groupAlike(troubled(results.cases));
  const stale = results.staleBaseline.map((entry) =>
    command('error', 'stale baseline', `${entry} fails no more; remove it from the baseline`),
  );
  const lines = [...stale, ...alike.map(annotation)];
  const left = lines.length > MOST ? `; ${lines.length - MOST} more are not shown here` : '';
  const counts = countStandings(results.cases)
    .map(([standing, number]) => `${number} ${standing}`)
    .join(', ');
  const early = earlyEnd(results);
  const summary = `${results.target} against ${results.catalogue.title} ${results.catalogue.version}: ${early === undefined ? '' : `${early}; `}${counts}${left}`;
  return `${[...lines.slice(0, MOST), command('notice', verdictOf(results), summary)].join('\n')}\n`;
}

function annotation([result, ...others]: Alike): string {
  const more = others.length > 0 ? ` and ${others.length} alike` : '';
  const facts = [
    result.message ?? result.title,
    result.expected === undefined ? undefined : `expected ${oneLine(result.expected)}`,
    result.found === undefined ? undefined : `found ${oneLine(result.found)}`,
    result.excused === undefined ? undefined : `excused: ${result.excused}`,
  ];
  const text = facts.filter((fact) => fact !== undefined).join('\n');
  return command(
    COMMANDS[standingOf(result)] ?? 'notice',
    `${standingOf(result)} ${result.id}${more}`,
    text.length > 2000 ? `${text.slice(0, 2000)}…` : text,
  );
}

/** A workflow command. What is not escaped could end it and begin another. */
function command(kind: 'error' | 'warning' | 'notice', title: string, message: string): string {
  return `::${kind} title=${escapeProperty(title)}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
