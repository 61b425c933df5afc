// Models down, rule groups across.

function drawMatrix(/** @type {PageCase[]} */ cases) {
  const rows = models.filter((model) => cases.some((one) => one.model === model));
  const columns = groups.filter((group) => cases.some((one) => one.group === group));
  const cells = Map.groupBy(cases, (one) => `${one.model} ${one.group}`);
  const byModel = Map.groupBy(cases, (one) => one.model);
  const table = element(
    'table',
    { 'aria-label': 'Cases by model and rule group' },
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'col' }, 'Model'),
        ...columns.map((group) => element('th', { scope: 'col' }, group)),
        element('th', { scope: 'col' }, 'all'),
      ),
    ),
    element(
      'tbody',
      {},
      ...rows.map((model) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, cellButton(model, '', model, '')),
          ...columns.map((group) => cell(model, group, cells.get(`${model} ${group}`))),
          cell(model, '', byModel.get(model)),
        ),
      ),
    ),
  );
  const first = table.querySelector('button');
  if (first) first.tabIndex = 0;
  table.addEventListener('keydown', walk);
  const standings = data.standings.filter((standing) => cases.some((one) => one.standing === standing));
  count.textContent = [countOf(rows.length, 'model'), countOf(columns.length, 'rule group'), countOf(cases.length, 'case')].join(', ');
  view.replaceChildren(
    element('div', { class: 'matrix' }, table),
    element(
      'p',
      { class: 'legend' },
      'Each cell counts the passed and skipped cases, and shows the total if it differs. The sign is the most severe outcome:',
      ...standings.map((standing) => element('span', {}, `${SIGNS[standing]} ${standing}`)),
    ),
  );
}

/** @param {string} model @param {string} group @param {PageCase[] | undefined} cases */
function cell(model, group, cases) {
  if (!cases) return element('td', { class: 'none' }, '·');
  const rank = (/** @type {PageCase} */ one) => data.standings.indexOf(one.standing);
  const worst = Math.max(...cases.map(rank));
  const onlySkipped = cases.every((one) => one.standing === 'skip');
  const good = cases.filter((one) => rank(one) <= data.standings.indexOf('skip')).length;
  /** @type {Standing} */
  const standing =
    good === cases.length ? (onlySkipped ? 'skip' : 'pass') : (data.standings[worst] ?? 'pass');
  const text = good === cases.length ? String(good) : `${good}/${cases.length}`;
  const label = `${model}, ${group || 'all'}: ${good} of ${cases.length}, ${standing}`;
  const button = cellButton(model, group, text, label);
  button.className = standing;
  if (standing !== 'pass')
    button.prepend(element('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[standing]));
  return element('td', {}, button);
}

/** @param {string} model @param {string} group @param {string} text @param {string} label */
function cellButton(model, group, text, label) {
  const button = element(
    'button',
    { type: 'button', tabindex: '-1', ...(label === '' ? {} : { 'aria-label': label, title: label }) },
    text,
  );
  button.addEventListener('click', () => {
    go({ view: 'cases', model, group });
    scrollTo(0, 0);
    view.focus({ preventScroll: true });
  });
  return button;
}

/** One stop for the Tab key, arrows within the table. */
function walk(/** @type {KeyboardEvent} */ event) {
  const at = event.target;
  const place = at instanceof HTMLElement ? at.closest('td, th') : null;
  if (!(place instanceof HTMLTableCellElement) || !(at instanceof HTMLElement)) return;
  const row = /** @type {HTMLTableRowElement} */ (place.parentElement);
  const body = /** @type {HTMLTableSectionElement} */ (row.parentElement);
  const [down, right] =
    { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [];
  if (down === undefined || right === undefined) return;
  event.preventDefault();
  let [y, x] = [row.sectionRowIndex + down, place.cellIndex + right];
  // Empty cells are stepped over.
  for (;;) {
    const next = body.rows[y]?.cells[x];
    if (!next) return;
    const button = next.querySelector('button');
    if (button) {
      at.tabIndex = -1;
      button.tabIndex = 0;
      button.focus();
      return;
    }
    y += down;
    x += right;
  }
}
