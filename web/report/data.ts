import type { PackedCase, PackedPage, PageCase } from '../../conformance/report/html.ts';
import type { Standing } from '../../conformance/report/summary.ts';
import { matches } from '../ui/text.ts';

const packed: PackedPage = JSON.parse(document.getElementById('results')?.textContent ?? '');

/** The run that the page shows. */
export const data = { ...packed, cases: packed.cases.map(unpack) };

export const VIEWS = (['causes', 'matrix', 'cases', 'requirements', 'coverage'] as const).filter(
  (name) => name !== 'causes' || data.causes.length > 0,
);
export type View = (typeof VIEWS)[number];

/** The sign of each standing, so that color is never the only difference. */
export const SIGNS: Readonly<Record<Standing, string>> = {
  pass: '✓',
  skip: '–',
  excused: '~',
  advice: 'i',
  flaky: '≈',
  blocked: '!',
  fail: '✕',
  error: '!!',
};

export const models = [...new Set(data.cases.map((one) => one.model))];
export const groups = [...new Set(data.cases.map((one) => one.group))];
export const requirements = new Map(data.requirements.map((row) => [row.id, row]));
/** The requirements that cases name. */
export const named = [...new Set(data.cases.map((one) => one.requirement))];

/** Adds the facts that the ID and the rule of a case have, and that the page has once. */
function unpack(one: PackedCase): PageCase {
  const [, rule = '', model = '', field] = /^([^:]+):([^.=]+)(?:\.([^=]+))?/.exec(one.id) ?? [];
  const facts = packed.rules[rule];
  const cause = one.cause === undefined ? undefined : packed.causes[one.cause];
  const told = cause && one.message === undefined ? { message: `${cause.problem} (or similar)` } : {};
  const place = { rule, model, ...(field === undefined ? {} : { field }) };
  const empty = { exchanges: [], again: [], left: 0, outcome: one.standing };
  const whole = { ...empty, ...facts, ...place, ...told, ...one };
  return { ...whole, group: rule.split('.')[0] } as PageCase;
}

const CHOICES = ['model', 'group', 'requirement'] as const;
const FILTERS = ['cause', 'text', ...CHOICES] as const;

/**
 * The choices of the reader. The address has them, so that each view has a link and Back works. A filter without a text
 * leaves out nothing, and `cause` is an index.
 */
export type ReportState = Readonly<Record<(typeof FILTERS)[number], string>> & {
  readonly view: View;
  readonly standings: readonly Standing[];
};

export const NO_FILTER = {
  cause: '',
  text: '',
  model: '',
  group: '',
  requirement: '',
  standings: [],
} as const;

export function readState(): ReportState {
  const hash = new URLSearchParams(location.hash.slice(1));
  const view = hash.get('view');
  const cause = hash.get('cause') || '-1';
  return {
    ...NO_FILTER,
    ...Object.fromEntries(FILTERS.map((name) => [name, hash.get(name) ?? ''])),
    ...(!data.causes[Number(cause)] && { cause: '' }),
    view: VIEWS.find((one) => one === view) ?? VIEWS[0] ?? 'matrix',
    standings: data.standings.filter((one) => hash.getAll('outcome').includes(one)),
  };
}

export function addressOf({ standings, view, ...filters }: ReportState): string {
  const hash = new URLSearchParams({ view });
  for (const [name, value] of Object.entries(filters)) if (value !== '') hash.set(name, value);
  for (const standing of standings) hash.append('outcome', standing);
  return `#${hash}`;
}

/** Returns the cases that meet the filters, of the chosen standings or of all. */
export function chosenBy(state: ReportState, standings: readonly Standing[] = state.standings): PageCase[] {
  return data.cases.filter(
    (one) =>
      (state.cause === '' || one.cause === Number(state.cause)) &&
      CHOICES.every((name) => state[name] === '' || one[name] === state[name]) &&
      (standings.length === 0 || standings.includes(one.standing)) &&
      matches(
        [one.id, one.title, one.requirement, one.setting, one.message, one.expected, one.found, one.excused],
        state.text,
      ),
  );
}

/** Changes the state. `typing` adds no step to go back to. */
export function go(next: Partial<ReportState>, typing = false): void {
  const address = addressOf({ ...readState(), ...next });
  if (typing) history.replaceState(null, '', address);
  else if (address !== location.hash) history.pushState(null, '', address);
  dispatchEvent(new Event('popstate'));
}
