import { type CaseResult, headline, notBuiltLine, type Results, remarksOn } from '../results/results.ts';
import { oneLine, plural, showControls } from '../results/text.ts';
import { fitExchanges, renderHar } from './exchanges.ts';
import { renderHtml } from './html.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';
import { againLine, type Cause, causesOf, countStandings, factsOf, LOOKS, standingOf } from './summary.ts';

/** The report formats, by the names of their flags (`--junit FILE`), and `github` for annotations in GitHub Actions. */
export const RENDERERS = {
  json: renderJson,
  junit: renderJunit,
  markdown: renderMarkdown,
  html: renderHtml,
  har: renderHar,
  github: renderGithub,
} satisfies Readonly<Record<string, (results: Results) => string>>;

const ALL = Number.POSITIVE_INFINITY;

/** Maximum number of characters of the JSON. */
const MOST_IN_JSON = 4_900_000;

/** Renders the results as JSON with one line per case, so that tools for text can read and compare it. */
function renderJson({ cases: all, ...facts }: Results): string {
  const head = JSON.stringify({ ...facts, cases: [] }, null, 2);
  const cases = fitTexts(all, MOST_IN_JSON - head.length);
  const room = MOST_IN_JSON - head.length - sizeOf(cases.map(bareOf));
  const lines = fitExchanges(cases, room, ALL, ALL).map(({ again, exchanges, left, result }) =>
    JSON.stringify({
      ...result,
      ...(exchanges.length > 0 && { exchanges }),
      ...(again.length > 0 && { again }),
      ...(left > 0 && { exchangesLeft: left }),
    }),
  );
  return `${head.slice(0, head.lastIndexOf('[]'))}[\n    ${lines.join(',\n    ')}\n  ]\n}\n`;
}

/** Cuts the texts of a run that fails everywhere, so that its cases have about `most` bytes. */
function fitTexts(cases: readonly CaseResult[], most: number): readonly CaseResult[] {
  if (sizeOf(cases.map(bareOf)) <= most) return cases;
  const others = sizeOf(cases.map(bareOf).map(({ expected, found, message, ...rest }) => rest));
  const each = Math.max(20, Math.floor((most - others) / (3 * cases.length)) - 20);
  const cut = (name: string, value: unknown) =>
    typeof value === 'string' && ['message', 'expected', 'found'].includes(name)
      ? oneLine(value, each)
      : value;
  return cases.map((result) => ({
    ...result,
    ...JSON.parse(JSON.stringify(bareOf(result), cut)),
  }));
}

function bareOf({ again: _, exchanges: __, ...result }: CaseResult): CaseResult {
  return result;
}

/** The bytes of cases with their places in the list, and with the numbers of exchanges that were left out. */
function sizeOf(cases: readonly object[]): number {
  return Buffer.byteLength(JSON.stringify(cases)) + 30 * cases.length;
}

export type FormatName = keyof typeof RENDERERS;

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
