// Draws the requirements of the source and the coverage.

function drawRequirements() {
  /** @type {Record<string, [number, Standing]>} */
  const looks = { broken: [0, 'fail'], 'not tested': [1, 'skip'], held: [2, 'pass'] };
  const words = wordsOf(state.text);
  const rows = data.requirements
    .filter((row) => matches([row.id, row.section, row.says, row.state, row.why ?? ''], words))
    .toSorted((one, other) => (looks[one.state]?.[0] ?? 0) - (looks[other.state]?.[0] ?? 0));
  count.textContent = `${rows.length} of ${data.requirements.length} requirements of the source`;
  const numbers = Map.groupBy(data.cases, (one) => one.requirement);
  if (data.requirements.length === 0) {
    view.replaceChildren(element('p', {}, 'This run has no requirements of the source.'));
    return;
  }
  view.replaceChildren(
    table(
      ['State', 'Requirement', 'Section', 'ID', 'Cases'],
      rows.map((row) => {
        const standing = looks[row.state]?.[1] ?? 'skip';
        const said = element('td', {}, row.says);
        if (row.why) said.append(element('p', { class: 'soft' }, row.why));
        const link = element('button', { type: 'button', class: 'link' }, row.id);
        link.addEventListener('click', () =>
          go({ view: 'cases', requirement: row.id, text: '', model: '', group: '', standings: [] }),
        );
        return element(
          'tr',
          {},
          element(
            'td',
            {},
            element('span', { class: `badge ${standing}` }, `${SIGNS[standing]} ${row.state}`),
          ),
          said,
          element('td', {}, row.section),
          element('td', {}, link),
          element('td', { class: 'number' }, (numbers.get(row.id)?.length ?? 0).toLocaleString('en')),
        );
      }),
    ),
  );
}

function drawCoverage() {
  const words = wordsOf(state.text);
  count.textContent = 'Items with at least one passed case, and the reason for each of the others';
  view.replaceChildren(
    ...Object.entries(data.coverage).map(([kind, items]) => coverageBlock(kind, items, words)),
  );
}

/** @param {string} kind @param {readonly CoverageItem[]} items @param {string[]} words */
function coverageBlock(kind, items, words) {
  const done = items.filter((item) => item.exercised);
  const open = items.filter((item) => !item.exercised && matches([item.name, item.why ?? ''], words));
  const named = done.filter((item) => matches([item.name], words));
  const block = element(
    'section',
    { class: 'coverage' },
    element(
      'h2',
      {},
      `${done.length.toLocaleString('en')} of ${items.length.toLocaleString('en')} ${kind}`,
      element('progress', {
        max: String(Math.max(items.length, 1)),
        value: String(done.length),
        'aria-label': `${kind} exercised`,
      }),
    ),
  );
  if (open.length > 0)
    block.append(
      table(
        ['Not exercised', 'Reason'],
        open.map((item) =>
          element(
            'tr',
            {},
            element('td', {}, element('code', {}, item.name)),
            element('td', {}, item.why ?? ''),
          ),
        ),
      ),
    );
  block.append(
    element(
      'details',
      {},
      element('summary', {}, `${named.length.toLocaleString('en')} exercised`),
      element(
        'ul',
        { class: 'names' },
        ...named.map((item) => element('li', {}, element('code', {}, item.name))),
      ),
    ),
  );
  return block;
}
