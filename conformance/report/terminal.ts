import {
  deviationsLine,
  headline,
  NOT_SELECTED,
  notBuiltLine,
  type Results,
  remarksOn,
  verdictOf,
} from '../results/results.ts';
import {
  listed,
  oneLine,
  type Paint,
  painter,
  plainLine,
  plainLines,
  plural,
  showDirections,
} from '../results/text.ts';
import { type Exchange, outcomeOf } from '../target/exchange.ts';
import { type Comparison, changesLine, comparedLine } from './compare.ts';
import { counterpart, curlLine } from './exchanges.ts';
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
  standingOf,
  startLine,
} from './summary.ts';

/** Lines and causes of the first screen. A cause has two lines. */
const MOST_LINES = 12;
const MOST_FIRST = 3;

const MOST_CHANGED = 10;
const MOST_IN_FULL = 20;

/**
 * The report of a run for a terminal: at most 12 lines. `details` adds each cause in full, and the reasons for skips.
 */
export function renderTerminal(
  results: Results,
  { color, details = false }: { readonly color: boolean; readonly details?: boolean },
): string {
  const paint = painter(color);
  const causes = causesOf(results.cases).filter(({ standing }) => standing !== 'excused');
  const blocks = [
    renderScreen(results, causes, paint),
    ...(details ? renderDetails(results, causes, paint) : []),
    ...listsOf(results)
      .filter(({ isUrgent }) => details || isUrgent)
      .flatMap(({ items, title }) => renderList(title, items, paint)),
  ];
  return showDirections(`${blocks.join('\n\n')}\n`);
}

export function renderComparison(comparison: Comparison, now: Results, color: boolean): string {
  const paint = painter(color);
  const { groups, remarks } = comparison;
  const head = [
    paint(groups[0]?.change === 'new' ? 'red' : 'green', changesLine(comparison)),
    plainLine(comparedLine(comparison, now)),
    ...remarks.map((remark) => paint('yellow', remark)),
  ].join('\n');
  const blocks = groups.map(({ causes, change, first }) => {
    const lines = first.slice(0, MOST_CHANGED).flatMap((cause) => {
      const isSeen = ['new', 'no longer blocked', 'still failing'].includes(change);
      const extent = `${plural(cause.cases, 'case')} on ${plural(cause.models, 'model')}`;
      const again = `    see it again: ${plainLine(againLine(now, { id: cause.case }))}`;
      return [`  ${cause.sentence}  ${paint('gray', extent)}`, ...(isSeen ? [paint('gray', again)] : [])];
    });
    const left = causes - Math.min(first.length, MOST_CHANGED);
    const title = change.replace(/^./, (letter) => letter.toUpperCase());
    return [paint('bold', title), ...lines, ...(left > 0 ? [`  and ${left} more`] : [])].join('\n');
  });
  return showDirections(`${[head, ...blocks].join('\n\n')}\n`);
}

function renderScreen(results: Results, causes: readonly Cause[], paint: Paint): string {
  const { catalogue, cases, target } = results;
  const notBuilt = notBuiltLine(results);
  const deviations = deviationsLine(results);
  const numbers = countStandings(cases).map(([standing, number]) => `${number} ${standing}`);
  const first = [
    paint(lookOf(verdictOf(results)).color, plainLine(headline(results))),
    ...remarksOn(results).map((remark) => paint('yellow', oneLine(remark))),
    ...(deviations === undefined ? [] : [paint('yellow', oneLine(deviations))]),
  ];
  const last = [
    ...(notBuilt === undefined ? [] : [plainLine(notBuilt)]),
    [...numbers, effortLine(results)].join(' · '),
    `${target} against ${catalogue.title} ${catalogue.version}; coverage ${coverageLine(results)}`,
    plainLine(startLine(results)),
  ];
  // One line names the number of the other causes.
  const room = Math.floor((MOST_LINES - first.length - last.length - 1) / 2);
  const most = Math.min(MOST_FIRST, Math.max(1, room));
  return [...first, ...renderCauses(results, causes, most, paint), ...last].join('\n');
}

/** Renders the first causes, each with the command that shows it again; none if all cases passed. */
function renderCauses(results: Results, causes: readonly Cause[], most: number, paint: Paint): string[] {
  const shown = causes.slice(0, most);
  const sentences = shown.map((cause) => sentenceOf(cause, 110));
  const width = Math.max(0, ...sentences.map((sentence) => sentence.length));
  const lines = shown.flatMap((cause, index) => [
    `${paint(LOOKS[cause.standing].color, nameOf(cause, index).padEnd(INDENT))}${paint('bold', (sentences[index] ?? '').padEnd(width))}  ${extentOf(cause)}`,
    paint('gray', `${' '.repeat(INDENT)}see it again: ${plainLine(againLine(results, cause.first))}`),
  ]);
  const left = causes.slice(most);
  if (left.length === 0) return lines;
  return [...lines, `${'And'.padEnd(INDENT)}${leftLine(left)}: pass --details, or --html FILE`];
}

function leftLine(left: readonly Cause[]): string {
  return `${plural(left.length, 'more cause')} (${plural(left.flatMap(({ cases }) => cases).length, 'case')})`;
}

const INDENT = 11;

function nameOf({ first, standing }: Cause, index: number): string {
  if (standing === 'advice' || (standing === 'flaky' && first.level === 'advice')) return 'Advice';
  return index === 0 ? 'Fix first' : 'Then';
}

function renderDetails(results: Results, causes: readonly Cause[], paint: Paint): string[] {
  const left = causes.slice(MOST_IN_FULL);
  const excused = results.cases.flatMap((one) =>
    one.excused === undefined ? [] : `${one.id}: ${one.excused}`,
  );
  return [
    ...causes.slice(0, MOST_IN_FULL).map((cause) => renderCause(cause, results, paint)),
    ...(left.length > 0 ? [`Not shown: ${leftLine(left)}. To get all cases, pass --json FILE.`] : []),
    ...renderList('Excused', excused, paint),
    ...renderSkipped(results, paint),
    ...renderLedger(results, paint),
  ];
}

function renderSkipped({ cases }: Results, paint: Paint): string[] {
  const skipped = cases.filter(({ outcome }) => outcome === 'skip');
  const reasons = [...Map.groupBy(skipped, ({ message = '' }) => message)].map(
    ([reason, { length }]) => `${String(length).padStart(4)} × ${reason}`,
  );
  return renderList('Skipped', reasons, paint);
}

function renderLedger(results: Results, paint: Paint): string[] {
  const rows = (['broken', 'not tested'] as const).flatMap((state) =>
    results.requirements
      .filter((row) => row.state === state && row.why !== NOT_SELECTED)
      .map(({ id, says, section, why }) => {
        const reason = why === undefined ? '' : ` (${oneLine(why, 120)})`;
        return `${state.padEnd(10)}  ${id} (section ${section}): ${oneLine(says, 120)}${reason}`;
      }),
  );
  const title = `Requirements of the source that are broken or not tested (${ledgerLine(results)})`;
  return renderList(title, rows, paint, 20);
}

function renderList(title: string, items: readonly string[], paint: Paint, most = 10): string[] {
  if (items.length === 0) return [];
  const more = items.length > most ? [`  and ${items.length - most} more`] : [];
  return [
    [paint('gray', title), ...items.slice(0, most).map((item) => `  ${plainLine(item)}`), ...more].join('\n'),
  ];
}

function renderCause({ cases, first: result }: Cause, results: Results, paint: Paint): string {
  const standing = standingOf(result);
  const again = {
    reproduced: ' (reproduced when tried again)',
    'not reproduced': ' (not reproduced when tried again)',
  };
  const lines = [
    `${paint(LOOKS[standing].color, standing.toUpperCase())} ${paint('bold', result.id)}${result.retried ? again[result.retried] : ''}`,
  ];
  const [message, ...rest] = plainLines(result.message ?? '');
  if (message) lines.push(`  ${message}`, ...rest.map((line) => `  | ${line}`));
  lines.push(...factsOf(result, results).map(([label, text]) => `  ${label.padEnd(10)}${plainLine(text)}`));
  const exchange = result.exchanges?.at(-1);
  if (result.sequence)
    for (const earlier of result.exchanges?.slice(0, -1) ?? [])
      lines.push(paint('gray', `  before    ${sentLine(earlier)}`));
  if (exchange) {
    const repeat = curlLine(exchange);
    lines.push(`  sent      ${sentLine(exchange)}`, `  received  ${answerLine(exchange)}`);
    if (repeat !== undefined) lines.push(paint('gray', `  repeat    ${plainLine(repeat)}`));
  }
  const later = exchange && counterpart(exchange, result.again ?? []);
  if (later) lines.push(`  retry     ${answerLine(later)}`);
  const others = cases.slice(1).map(({ id }) => id);
  if (others.length > 0)
    lines.push(paint('gray', `  also      ${plural(others.length, 'similar case')}: ${listed(others, 5)}`));
  return lines.join('\n');
}

function sentLine({ request: { body, method, url } }: Exchange): string {
  return `${method} ${plainLine(url)}${body ? ` ${oneLine(body)}` : ''}`;
}

function answerLine(exchange: Exchange): string {
  const { body, headers, status } = exchange.response;
  // A redirect says in a header what to look at.
  const place = status >= 300 && status < 400 && headers.location ? plainLine(` to ${headers.location}`) : '';
  return `${outcomeOf(exchange)}${place}${body ? ` ${oneLine(body)}` : ''}`;
}
