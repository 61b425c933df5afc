// What is shown, which stands in the address, so that a view can be linked to and Back works.

/**
 * @typedef {import('../page-data.ts').PageData} PageData
 * @typedef {import('../page-data.ts').PageCase} PageCase
 * @typedef {import('../page-data.ts').PageCause} PageCause
 * @typedef {import('../page-data.ts').PackedPage} PackedPage
 * @typedef {import('../page-data.ts').PackedCase} PackedCase
 * @typedef {import('../page-data.ts').PageExchange} PageExchange
 * @typedef {import('../summary.ts').Standing} Standing
 * @typedef {import('../../results/results.ts').CoverageItem} CoverageItem
 * @typedef {Node | string} Child
 */

/** @type {PackedPage} */
const packed = JSON.parse(document.getElementById('results')?.textContent ?? '');
/** @type {PageData} */
const data = { ...packed, cases: packed.cases.map(unpack) };
/** @typedef {'causes' | 'matrix' | 'cases' | 'requirements' | 'coverage'} View */
const VIEWS = /** @type {View[]} */ (['causes', 'matrix', 'cases', 'requirements', 'coverage']).filter(
  (name) => name !== 'causes' || data.causes.length > 0,
);
const PAGE = 200;
/** The sign of each standing, so that color is never the only difference. @type {Record<Standing, string>} */
const SIGNS = { pass: '✓', skip: '–', excused: '~', advice: 'i', flaky: '≈', blocked: '!', fail: '✕', error: '!!' };

const models = [...new Set(data.cases.map((one) => one.model))];
const groups = [...new Set(data.cases.map((one) => one.group))];
const requirements = new Map(data.requirements.map((row) => [row.id, row]));
const named = [...new Set(data.cases.map((one) => one.requirement))];
const texts = new Map(data.cases.map((one) => [one, searchText(one)]));

let state = readState();
let shown = PAGE;

/** What the id and the rule of a case say was sent once. */
function unpack(/** @type {PackedCase} */ one) {
  const [, rule = '', model = '', field] = /^([^:]+):([^.=]+)(?:\.([^=]+))?/.exec(one.id) ?? [];
  const facts = packed.rules[one.rule ?? rule];
  const cause = one.cause === undefined ? undefined : packed.causes[one.cause];
  const tried = cause?.retried === undefined ? {} : { retried: cause.retried };
  const told = cause && one.message === undefined ? { message: `${cause.problem} (or similar)` } : {};
  const place = one.rule === undefined ? { rule, model, ...(field === undefined ? {} : { field }) } : {};
  const whole = { exchanges: [], again: [], left: 0, outcome: one.standing, ...facts, ...place, ...tried, ...told, ...one };
  return /** @type {PageCase} */ ({ ...whole, group: String(whole.rule).split('.')[0] });
}

function readState() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const named = hash.get('view');
  return {
    view: VIEWS.find((one) => one === named) ?? VIEWS[0] ?? 'matrix',
    cause: data.causes[Number(hash.get('cause') ?? -1)] ? (hash.get('cause') ?? '') : '',
    text: hash.get('text') ?? '',
    model: hash.get('model') ?? '',
    group: hash.get('group') ?? '',
    requirement: hash.get('requirement') ?? '',
    standings: data.standings.filter((one) => hash.getAll('outcome').includes(one)),
  };
}

/** @param {Partial<ReturnType<typeof readState>>} next */
function address(next) {
  const { view, cause, text, model, group, requirement, standings } = { ...state, ...next };
  const hash = new URLSearchParams({ view });
  for (const [name, value] of Object.entries({ cause, text, model, group, requirement }))
    if (value !== '') hash.set(name, value);
  for (const standing of standings) hash.append('outcome', standing);
  return `#${hash}`;
}

/** @param {Partial<ReturnType<typeof readState>>} next @param {boolean} [typing] Leaves no step to go back to. */
function go(next, typing = false) {
  if (typing) history.replaceState(null, '', address(next));
  else if (address(next) !== location.hash) history.pushState(null, '', address(next));
  state = readState();
  shown = PAGE;
  draw();
}

/** The cases the filters let through, of these standings; of every standing when there are none. */
function chosen(/** @type {readonly Standing[]} */ standings) {
  const words = wordsOf(state.text);
  return data.cases.filter(
    (one) =>
      (state.cause === '' || one.cause === Number(state.cause)) &&
      (state.model === '' || one.model === state.model) &&
      (state.group === '' || one.group === state.group) &&
      (state.requirement === '' || one.requirement === state.requirement) &&
      (standings.length === 0 || standings.includes(one.standing)) &&
      words.every((word) => texts.get(one)?.includes(word)),
  );
}

function searchText(/** @type {PageCase} */ one) {
  return [one.id, one.title, one.requirement, one.setting, one.message, one.expected, one.found, one.excused]
    .filter(Boolean)
    .join(' ')
    .toLowerCase();
}
