import { STATUS_CODES } from 'node:http';
import { parseJson } from '../../spec/parse-json.ts';
import {
  type CaseResult,
  LEVELS,
  NOT_SELECTED,
  type Results,
  shapesIn,
  shareOf,
  type Verdict,
} from '../results/results.ts';
import { oneLine, plural, quote } from '../results/text.ts';
import type { Exchange } from '../target/exchange.ts';

/** The outcomes for a reader, in rising order of severity. Failures that do not count are separate. */
export const STANDINGS = ['pass', 'skip', 'excused', 'advice', 'flaky', 'blocked', 'fail', 'error'] as const;
export type Standing = (typeof STANDINGS)[number];

/** How reports show a standing: with a sign, a color, and the kind of its annotation. */
export const LOOKS = {
  pass: { sign: '✅', color: 'green', annotation: 'notice' },
  skip: { sign: '⚪', color: 'gray', annotation: 'notice' },
  excused: { sign: '🔕', color: 'gray', annotation: 'notice' },
  advice: { sign: '💡', color: 'cyan', annotation: 'warning' },
  flaky: { sign: '🎲', color: 'yellow', annotation: 'warning' },
  blocked: { sign: '🟧', color: 'yellow', annotation: 'error' },
  fail: { sign: '❌', color: 'red', annotation: 'error' },
  error: { sign: '💥', color: 'magenta', annotation: 'error' },
} as const satisfies Record<Standing, object>;

export function lookOf(verdict: Verdict) {
  if (verdict === 'not conformant') return LOOKS.fail;
  return verdict.endsWith('conformant') ? LOOKS.pass : LOOKS.blocked;
}

export function standingOf({ outcome, excused, level }: CaseResult): Standing {
  if (excused !== undefined) return 'excused';
  return outcome === 'fail' && level === 'advice' ? 'advice' : outcome;
}

/** The first word of a rule's id: `update.keeps-origin` → `update`. */
export function groupOf({ rule }: CaseResult): string {
  return rule.split('.')[0] ?? rule;
}

function gravityOf(standing: Standing): number {
  return STANDINGS.indexOf(standing);
}

/** Returns the cases that need attention, the most severe first, then in the order of the run. */
function troubled(cases: readonly CaseResult[]): CaseResult[] {
  return cases
    .filter((result) => gravityOf(standingOf(result)) > gravityOf('skip'))
    .sort((one, other) => gravityOf(standingOf(other)) - gravityOf(standingOf(one)));
}

export function countStandings(cases: readonly CaseResult[]): [Standing, number][] {
  const counted = Map.groupBy(cases, standingOf);
  return STANDINGS.map((standing): [Standing, number] => [
    standing,
    counted.get(standing)?.length ?? 0,
  ]).filter(([standing, number]) => number > 0 || standing === 'pass' || standing === 'fail');
}

/** `27 held · 1 broken · 2 not tested`. */
export function ledgerLine({ requirements }: Results): string {
  return (['held', 'broken', 'not tested'] as const)
    .map(
      (state) =>
        `${requirements.filter((row) => row.state === state && row.why !== NOT_SELECTED).length} ${state}`,
    )
    .join(' · ');
}

/** `262 of 262 operations, 667 of 667 fields, 58 of 61 values`. */
export function coverageLine(results: Results): string {
  return (['operations', 'fields', 'values'] as const).map((kind) => shareOf(results, kind)).join(', ');
}

/** Returns what is known of a case besides its message, each part with a label. */
export function factsOf(
  { excused, expected, found, level, requirement, setting }: CaseResult,
  { requirements }: Results,
): (readonly [label: string, text: string])[] {
  const statement = requirements.find(({ id }) => id === requirement);
  const source = statement ? `Section ${statement.section}: ${statement.says}` : requirement;
  const basis = level === 'advice' ? 'related' : 'stated';
  return [
    ...(expected === undefined ? [] : [['expected', expected] as const]),
    ...(found === undefined ? [] : [['found', found] as const]),
    setting === undefined ? [basis, source] : ['assumed', `setting ${setting}. ${source}`],
    ...(excused === undefined ? [] : [['excused', excused] as const]),
  ];
}

/** Returns the lists for the end of a report. The reader has to act on those that are urgent. */
export function listsOf({ expiredBaseline, leftovers, oddities = [], staleBaseline }: Results) {
  const stale = 'Stale baseline entries (these cases pass and these models are built, so remove the entries)';
  const expired = 'Expired baseline entries (these failures count again)';
  return [
    { title: 'Records that were not removed (delete them yourself)', items: leftovers, isUrgent: false },
    { title: 'Advice about the target', items: oddities, isUrgent: false },
    { title: stale, items: staleBaseline, isUrgent: true },
    { title: expired, items: expiredBaseline, isUrgent: true },
  ];
}

/** `1043 requests · 6.1 s`. */
export function effortLine({ durationMs, requests }: Results): string {
  return `${requests} requests · ${(durationMs / 1000).toFixed(1)} s`;
}

/** `profile default · seed 1000 · tag nightly`. */
export function startLine(results: Results): string {
  const { readOnly, seed, tag } = results;
  return [
    `profile ${profileLine(results)}`,
    `seed ${seed}`,
    ...(tag === undefined ? [] : [`tag ${tag}`]),
    ...(readOnly ? ['read-only: the run sent only GET requests'] : []),
  ].join(' · ');
}

/** Returns the profile's name with its differences from the default: `my-service.yaml (delete.effect remove)`. */
export function profileLine({ profile: { differs, name } }: Results): string {
  const settings = differs.length === 0 ? '' : ` (${differs.join(', ')})`;
  // A later run learns the changed settings, so it passes.
  return name === 'learned'
    ? `learned now${settings}; a committed profile would notice a change`
    : `${name}${settings}`;
}

/** Cases that did not pass for the same reason, in the order of the run; at least one. The first one represents all. */
export type Cause = ReturnType<typeof causesOf>[number];

/** The number of cases per cause that a report shows with their exchanges. */
export const SHOWN_OF_CAUSE = 3;

/** The beginnings of rule IDs, in the order in which to fix them. The other rules are the last step. */
const STEPS: readonly (readonly string[])[] = [
  ['operations.'],
  // A write that changes other records makes the cases of these fail.
  ['create.distinct', 'update.keeps-other-records', 'delete.keeps-other-records'],
  ['fields.', 'required.present', 'profile.response.', 'profile.types.'],
  ['values.accepted', 'profile.values-accepted', 'create.', 'update.', 'list.'],
];

/** Maximum number of cases, each blocked by the next one. */
const LONGEST_CHAIN = 3;

/** The standings after the failures, in their order. */
const LATER: readonly Standing[] = ['blocked', 'error', 'flaky', 'advice', 'excused'];

/**
 * Groups the cases that did not pass by their cause, and puts first what the others depend on: operations, then the
 * shape of records, then their values. A cause is one rule, or one setting of the profile, with messages that differ
 * only in names and numbers, or one change of a text on its way. A case that is blocked by another one has the cause of that one.
 */
export function causesOf(results: readonly CaseResult[]) {
  const bad = troubled(results);
  const byId = new Map(bad.map((result) => [result.id, result]));
  const differing = new Set<string | undefined>(bad.flatMap(({ differs = [] }) => differs));
  const shapeOf = shapesIn(bad);
  const groups = Map.groupBy(bad, (result) => keyOf(rootOf(result)));
  return [...groups.values()]
    .flatMap((group) => {
      const own = group.filter((result) => rootOf(result) === result);
      const telling = own.length > 0 ? own : group;
      const [gravest] = telling;
      const [first] = telling.toSorted(byOrder);
      if (!gravest || !first) return [];
      const cases = [first, ...group.filter((one) => one !== first)];
      const models = [...new Set(cases.map(({ model }) => model))];
      // Some of the cases are only blocked by the others.
      const blocks = own.length < group.length || first.differs !== undefined;
      return [{ standing: standingOf(gravest), about: aboutOf(first), first, cases, models, blocks }];
    })
    .sort((one, other) => byOrder(one.first, other.first) || other.cases.length - one.cases.length);

  function keyOf(result: CaseResult): string {
    // A failed rule about a setting has one cause with the cases that the setting blocks.
    const { differs = result.setting } = result;
    if (differing.has(differs)) return `differs ${differs}`;
    const standing = standingOf(result);
    const change = changeOf(result);
    // Advice is often about all texts.
    return `${standing} ${change?.[standing === 'advice' ? 'what' : 'key'] ?? shapeOf(result)}`;
  }

  function rootOf(result: CaseResult): CaseResult {
    let root = result;
    // A file can name any case, also in a circle.
    for (let step = 0; step < LONGEST_CHAIN; step++) root = byId.get(root.blockedBy ?? '') ?? root;
    return root;
  }
}

function byOrder(one: CaseResult, other: CaseResult): number {
  const [first, second] = [rankOf(one), rankOf(other)];
  const at = first.findIndex((place, index) => place !== second[index]);
  return at === -1 ? 0 : Number(first[at]) - Number(second[at]);
}

function rankOf(result: CaseResult): number[] {
  const { differs, level, rule } = result;
  const standing = standingOf(result);
  const step = STEPS.findIndex((starts) => starts.some((start) => rule.startsWith(start)));
  // Other cases can fail only because the profile is wrong.
  if (differs !== undefined) return [-2];
  const place = step === -1 ? STEPS.length : step;
  return [LATER.indexOf(standing), LEVELS.indexOf(level), place, -gravityOf(standing)];
}

/** Returns the setting of the profile, or the rule; undefined for a case that is blocked for another reason. */
function aboutOf({ differs, outcome, rule, setting = differs }: CaseResult): string | undefined {
  if (setting !== undefined) return `${setting} (setting)`;
  return outcome === 'blocked' ? undefined : rule;
}

/** Returns the problem of a cause with the expected result, in one line of at most `most` characters. */
export function sentenceOf(cause: Cause, most = 160): string {
  const { differs, expected, found } = cause.first;
  const problem = problemOf(cause);
  if (differs !== undefined) return oneLine(`${problem}. Run learn, or fix the service`, most);
  if (expected === undefined || found === undefined || changeOf(cause.first)) return oneLine(problem, most);
  if (answeredIn(cause.first)) return oneLine(`${problem}; expected ${expected}`, most);
  return oneLine(`${problem}; expected ${oneLine(expected, 40)}, found ${oneLine(found, 40)}`, most);
}

/** Returns the problem of a cause: `POST /api/model/brand/{id} returns 405 Method Not Allowed`, or `brand.name is cut at 20 characters`. */
export function problemOf({ cases, first, models }: Cause): string {
  const { field, message, model, title } = first;
  const exchange = answeredIn(first);
  if (exchange) {
    const { status } = exchange.response;
    const path = new URL(exchange.request.url).pathname.replace(/\/\d+$/, '/{id}');
    const refused = /\brefused for (\w+\.\w+):/.exec(message ?? '')?.[1];
    const problem = `${exchange.request.method} ${path} returns ${status} ${STATUS_CODES[status] ?? ''}`;
    return problem.trim() + (refused === undefined ? '' : ` for a valid ${refused}`);
  }
  const change = changeOf(first);
  if (change !== undefined) {
    const others = new Set(cases.map((one) => `${one.model}.${one.field}`)).size - 1;
    return `${model}.${field} ${change.what}${others > 0 ? `, like ${plural(others, 'other field')}` : ''}`;
  }
  const what = message ?? title;
  if (first.differs !== undefined || models.length > 1) return what;
  if (field === undefined) return `${model}: ${what}`;
  // The message can end with the place, such as `name of brand/6`.
  const place = what.lastIndexOf(`: ${field} of ${model}/`);
  const rest = place === -1 ? what : what.slice(0, place);
  return `${model}.${field}: ${rest}`;
}

/** The exchange of an operation that failed because of its status. */
function answeredIn({ exchanges = [], found = '', rule }: CaseResult): Exchange | undefined {
  const exchange = exchanges.at(-1);
  const isAbout = rule.startsWith('operations.') && found.startsWith(`status ${exchange?.response.status}`);
  return isAbout && URL.canParse(exchange?.request.url ?? '') ? exchange : undefined;
}

/** How a text of a field changed on its way, with a key that cases of one cause share; undefined for other failures. */
function changeOf({ expected = '', field, found = '', model, rule }: CaseResult) {
  const what = field === undefined ? undefined : textChange(expected, found);
  // A limit on the length often applies to several fields.
  if (what === undefined) return undefined;
  const when = what === 'is lost' ? LOST.find(([name]) => rule === name)?.[1] : undefined;
  const key = /\d/.test(what) ? what : `${what} ${model}.${field}`;
  return { what: when === undefined ? what : `${what} ${when}`, key };
}

/** The rules about a value that is lost, with the writes after which it is. */
const LOST = [
  ['create.keeps-field', 'after a create'],
  ['update.changes-field', 'after an update'],
  ['update.keeps-other-fields', 'after an update of other fields'],
] as const;

function textChange(expected: string, found: string): string | undefined {
  const [sent, came] = [textIn(expected), textIn(found)];
  if (sent === undefined) return undefined;
  if (found === 'null' || found === 'nothing' || came === '') return 'is lost';
  if (came === undefined) return undefined;
  if (sent !== came && sent.trim() === came.trim()) return 'loses spaces at its ends';
  return sent.startsWith(came) && sent !== `${came}/`
    ? `is cut at ${plural([...came].length, 'character')}`
    : undefined;
}

function textIn(json: string): string | undefined {
  const value = parseJson(json);
  return typeof value === 'string' ? value : undefined;
}

/** `unlocks 47 cases on 3 models`, or `12 cases on 4 models`. */
export function extentOf({ blocks, cases, models }: Cause): string {
  return `${blocks ? 'unlocks ' : ''}${plural(cases.length, 'case')} on ${plural(models.length, 'model')}`;
}

/** The command that runs a case again, with the one whose request shows the failure. It works after the clean-up. */
export function againLine(
  { command, target }: Pick<Results, 'command' | 'target'>,
  { during, id }: Pick<CaseResult, 'during' | 'id'>,
): string {
  const cases = [during ?? [], id]
    .flat()
    .map((one) => ` --case ${/^[\w.:=-]+$/.test(one) ? one : quote(one)}`);
  return `${command ?? `record-model check ${target}`}${cases.join('')}`;
}
