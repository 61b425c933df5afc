// The cases, each opened on demand.

function drawCases(/** @type {PageCase[]} */ cases) {
  const rank = (/** @type {PageCase} */ one) => data.standings.indexOf(one.standing);
  const sorted = cases.toSorted((one, other) => rank(other) - rank(one));
  count.textContent = `${cases.length.toLocaleString('en')} of ${data.cases.length.toLocaleString('en')} cases, most severe first`;
  const list = sorted.slice(0, shown).map(caseBlock);
  const [first] = sorted;
  if (list[0] && first && (first.exchanges.length > 0 || cases.length === 1)) list[0].open = true;
  view.replaceChildren(...(list.length > 0 ? list : [element('p', {}, 'No case matches these filters.')]));
  if (sorted.length > shown) view.append(moreButton(sorted));
}

function moreButton(/** @type {PageCase[]} */ sorted) {
  const left = sorted.length - shown;
  const button = element(
    'button',
    { type: 'button', class: 'plain more' },
    `Show ${Math.min(PAGE, left)} more of ${left.toLocaleString('en')}`,
  );
  button.addEventListener('click', () => {
    const next = sorted.slice(shown, shown + PAGE).map(caseBlock);
    shown += PAGE;
    button.replaceWith(...next, ...(sorted.length > shown ? [moreButton(sorted)] : []));
    next[0]?.querySelector('summary')?.focus();
  });
  return button;
}

function caseBlock(/** @type {PageCase} */ one) {
  const block = element(
    'details',
    { class: 'case' },
    element(
      'summary',
      {},
      element('span', { class: `badge ${one.standing}` }, `${SIGNS[one.standing]} ${one.standing}`),
      element('code', {}, one.id),
      element('span', { class: 'soft' }, one.message ?? one.title),
    ),
  );
  block.addEventListener('toggle', () => {
    if (block.open && block.childElementCount === 1) block.append(caseBody(one));
  });
  return block;
}

function caseBody(/** @type {PageCase} */ one) {
  const row = requirements.get(one.requirement);
  const source = row ? `Section ${row.section}: ${row.says}` : one.requirement;
  /** @type {[string, string | undefined, string?][]} */
  const facts = [
    ['Message', one.message],
    ['Expected', one.expected, 'expected'],
    ['Found', one.found, 'found'],
    ['Rule', `${one.rule}: ${one.title}`],
    [one.setting === undefined ? 'Source' : 'Source (open)', source],
    ['Assumed', one.setting && `setting ${one.setting} of the profile`],
    ['Retry', one.retried],
    ['Excused', one.excused],
    ['Counts', one.level === 'advice' ? 'No. This is advice, because the source does not state it.' : undefined],
  ];
  const body = element(
    'div',
    { class: 'body' },
    element(
      'dl',
      {},
      ...facts.flatMap(([name, value, kind]) =>
        value === undefined
          ? []
          : [
              element('dt', {}, name),
              element('dd', {}, kind ? element('code', { class: kind }, value) : value),
            ],
      ),
    ),
  );
  if (one.again.length > 0)
    body.append(
      element('p', { class: 'soft more' }, 'The retry got a different last response:'),
      ...one.again.map((exchange) => exchangeBlock(exchange, false)),
      element('p', { class: 'soft more' }, 'First try:'),
    );
  one.exchanges.forEach((exchange, index) => {
    body.append(exchangeBlock(exchange, index + 1 === one.exchanges.length));
  });
  if (one.left > 0)
    body.append(
      element(
        'p',
        { class: 'soft more' },
        `This page omits ${one.left} earlier exchanges. To see all, run the case with --case.`,
      ),
    );
  return body;
}
