import type { CaseResult, Results } from '../results/results.ts';
import { oneLine, plural, showControls } from '../results/text.ts';
import { headline, notBuiltLine, remarksOn } from '../results/verdict.ts';
import { againLine, type Cause, causesOf } from './causes.ts';
import { countStandings, factsOf, LOOKS, standingOf } from './summary.ts';

type Kind = 'error' | 'warning' | 'notice';

/** Maximum number of annotations that GitHub shows per kind and step. The verdict is a notice, too. */
const MOST: Readonly<Record<Kind, number>> = { error: 10, warning: 10, notice: 9 };

/** Renders annotations for a GitHub workflow, one line per cause, and the verdict last. */
export function renderGithub(results: Results): string {
  const causes = causesOf(results.cases);
  const stale = results.staleBaseline.map((entry) =>
    command('error', 'stale baseline', `${entry} is fixed. Remove it from the baseline.`),
  );
  const all = [...stale, ...causes.map((cause) => annotation(cause, results))];
  const kinds = Map.groupBy(all, ({ kind }) => kind);
  const shown = [...kinds].flatMap(([kind, commands]) => commands.slice(0, MOST[kind]));
  const counts = countStandings(results.cases).map(([standing, number]) => `${number} ${standing}`);
  const facts = [
    ...remarksOn(results),
    counts.join(', '),
    notBuiltLine(results) ?? [],
    shown.length < all.length ? `${plural(all.length - shown.length, 'more annotation')} not shown` : [],
  ];
  const { catalogue, target } = results;
  const lines = facts.flat().map((fact) => oneLine(fact));
  const summary = `${target} against ${catalogue.title} ${catalogue.version}: ${lines.join('; ')}`;
  return [...shown, command('notice', headline(results), summary)].map(({ line }) => `${line}\n`).join('');
}

function annotation({ cases, first: result }: Cause, results: Results): Command {
  const more = cases.length > 1 ? ` and ${cases.length - 1} similar` : '';
  const facts = [
    result.message ?? result.title,
    ...factsOf(result, results).map(([label, fact]) => `${label}: ${oneLine(fact)}`),
    `see it again: ${againLine(results, result)}`,
  ];
  const text = facts.join('\n');
  return command(
    kindOf(result),
    `${standingOf(result)} ${result.id}${more}`,
    text.length > 2000 ? `${text.slice(0, 2000)}…` : text,
  );
}

/** Returns the kind of annotation. Advice is never an error, even if it is blocked. */
function kindOf(result: CaseResult): Kind {
  const kind = LOOKS[standingOf(result)].annotation;
  return kind === 'error' && result.level === 'advice' && result.outcome !== 'error' ? 'warning' : kind;
}

type Command = { readonly kind: Kind; readonly line: string };

/** Returns a workflow command. Escapes the text, so that it can't begin another command. */
function command(kind: Kind, title: string, message: string): Command {
  return { kind, line: `::${kind} title=${escapeProperty(title)}::${escapeData(message)}` };
}

function escapeData(text: string): string {
  return text
    .split(/\r\n|[\r\n]/)
    .map((line) => showControls(line).replaceAll('%', '%25'))
    .join('%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
