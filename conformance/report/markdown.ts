import {
  headline,
  notBuiltLine,
  type RequirementResult,
  type Results,
  remarksOn,
  verdictOf,
} from '../results/results.ts';
import { listed, oneLine, plainLines, plural, showControls } from '../results/text.ts';
import { type Comparison, changesLine, comparedLine } from './compare.ts';
import { counterpart, exchangeText } from './exchanges.ts';
import {
  againLine,
  type Cause,
  causesOf,
  countStandings,
  coverageLine,
  effortLine,
  extentOf,
  factsOf,
  LOOKS,
  ledgerLine,
  listsOf,
  lookOf,
  sentenceOf,
  startLine,
} from './summary.ts';

/** Maximum number of bytes. A step summary can have 1 MiB, and later parts of the step need some of it. */
const MOST_BYTES = 900 * 1024;
const MOST_FAILURES = 20;
const MOST_ROWS = 100;

/** The run in GitHub-flavoured Markdown, small enough for a CI step summary: the verdict first. */
export function renderMarkdown(results: Results): string {
  const causes = causesOf(results.cases);
  const blocks = [
    renderVerdict(results),
    ...renderCauses(causes, results),
    ...listsOf(results).flatMap(({ items, title }) => list(title, items)),
    renderLedger(results),
    ...(causes.length > 0 ? ['### Details'] : []),
    ...causes.slice(0, MOST_FAILURES).map((cause) => renderCause(cause, results)),
  ];
  const kept: string[] = [];
  let bytes = 0;
  for (const block of blocks) {
    bytes += Buffer.byteLength(block) + 2;
    if (bytes > MOST_BYTES) break;
    kept.push(block);
  }
  const left = causes.length - MOST_FAILURES;
  if (kept.length < blocks.length) kept.push('The rest is omitted because of the size limit of a summary.');
  else if (left > 0) kept.push(`${left} more causes are not shown.`);
  return `${kept.join('\n\n')}\n`;
}

export function renderComparisonMarkdown(comparison: Comparison, now: Results): string {
  const { groups, remarks } = comparison;
  const sign = groups[0]?.change === 'new' ? '❌' : '✅';
  const rows = groups.flatMap(({ causes, change, first }) => [
    ...first.map((cause) =>
      row([change, escapeMarkdown(cause.sentence), code(cause.case), `${cause.cases}`, `${cause.models}`]),
    ),
    ...(causes > first.length ? [row([change, `and ${causes - first.length} more`, '', '', ''])] : []),
  ]);
  const head = [
    row(['change', 'cause', 'first case', 'cases', 'models']),
    row(['---', '---', '---', '--:', '--:']),
  ];
  const blocks = [
    `## ${sign} ${changesLine(comparison)}`,
    escapeMarkdown(comparedLine(comparison, now)),
    ...remarks.map((remark) => `**${escapeMarkdown(remark)}**`),
    ...(rows.length > 0 ? [[...head, ...rows].join('\n')] : []),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function renderVerdict(results: Results): string {
  const { catalogue, cases, target } = results;
  const notBuilt = notBuiltLine(results, 50);
  return [
    `## ${lookOf(verdictOf(results)).sign} ${escapeMarkdown(headline(results))}`,
    ...remarksOn(results).map((remark) => `**${escapeMarkdown(oneLine(remark))}**`),
    `${code(target)} against ${escapeMarkdown(catalogue.title)} ${escapeMarkdown(catalogue.version)}`,
    countStandings(cases)
      .map(([standing, number]) => `${LOOKS[standing].sign} **${number}** ${standing}`)
      .join(' · '),
    `${effortLine(results)} · ${escapeMarkdown(startLine(results))}`,
    ...(notBuilt === undefined ? [] : [escapeMarkdown(oneLine(notBuilt, 5000))]),
  ].join('\n\n');
}

function renderCauses(causes: readonly Cause[], results: Results): string[] {
  const [next] = causes;
  if (!next) return [];
  const rows = causes
    .slice(0, MOST_FAILURES)
    .map((cause) =>
      row([
        `${LOOKS[cause.standing].sign} ${cause.standing}`,
        escapeMarkdown(sentenceOf(cause)),
        extentOf(cause),
        escapeMarkdown(`${plural(cause.models.length, 'model')} (${listed(cause.models)})`),
      ]),
    );
  const head = [row(['', 'cause', 'cases', 'models']), row(['---', '---', '---', '---'])];
  return [
    '### Fix first',
    `${escapeMarkdown(sentenceOf(next))} (${extentOf(next)})`,
    `See it again: ${code(againLine(results, next.first))}`,
    '### Causes',
    [...head, ...rows].join('\n'),
  ];
}

function list(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  return [`**${title}:** ${listed(items.map(code), 50)}`];
}

function renderLedger(results: Results): string {
  const open = results.requirements.filter(({ state }) => state !== 'held');
  const rows = open.slice(0, MOST_ROWS).map(ledgerItem).join('\n');
  return [
    '### Requirements of the source',
    `${ledgerLine(results)} · coverage ${coverageLine(results)}`,
    ...(open.length > 0 ? [details('Broken or not tested', rows)] : []),
  ].join('\n\n');
}

function ledgerItem({ id, section, says, state, why }: RequirementResult): string {
  const reason = why === undefined ? '' : ` Reason: ${escapeMarkdown(oneLine(why))}`;
  return `- **${state}** ${code(id)} (section ${escapeMarkdown(section)}): ${escapeMarkdown(oneLine(says))}${reason}`;
}

function renderCause(cause: Cause, results: Results): string {
  const { cases, first, standing } = cause;
  const otherIds = cases.slice(1).map(({ id }) => id);
  const facts = [
    ...factsOf(first, results).map(([label, text]) => `**${label}** ${code(oneLine(text))}`),
    ...(first.retried === undefined ? [] : [`**retry** ${first.retried}`]),
    `**see it again** ${code(againLine(results, first))}`,
  ];
  const exchange = first.exchanges?.at(-1);
  const later = exchange && counterpart(exchange, first.again ?? []);
  const body = [
    facts.map((fact) => `- ${fact}`).join('\n'),
    ...(exchange ? [fence(exchangeText(exchange))] : []),
    ...(later ? ['**Retry**', fence(exchangeText(later))] : []),
    ...list('Same failure in', otherIds),
  ].join('\n\n');
  const more = otherIds.length > 0 ? ` <b>and ${otherIds.length} more</b>` : '';
  const title = `${LOOKS[standing].sign} ${standing} <code>${html(first.id)}</code>${more} ${html(oneLine(first.message ?? first.title))}`;
  return details(title, body);
}

/** The summary is HTML already; the body is Markdown, which needs the empty lines. */
function details(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}

/** A fence that is longer than any run of backticks in the text, so that nothing ends it early. */
function fence(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const mark = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${mark}\n${plainLines(text).join('\n')}\n${mark}`;
}

/** Inline code in HTML, since Markdown's own can't hold pipes in a table. */
function code(text: string): string {
  return `<code>${escapeMarkdown(text)}</code>`;
}

/** Text that neither Markdown, nor a table, nor HTML, nor a mention of a person is read from. */
function escapeMarkdown(text: string): string {
  return html(text).replaceAll(/[\\`*_{}[\]()+!|~$]|(?<!&)#/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Text that HTML is not read from, nor a mention of a person. */
function html(text: string): string {
  const line = showControls(text.replaceAll(/\s+/g, ' '));
  return line.replaceAll(/[&<>@]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
