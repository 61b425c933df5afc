// Draws the causes in the order in which to fix them.

function drawCauses() {
  const words = wordsOf(state.text);
  const found = [...data.causes.entries()].filter(([, one]) =>
    matches([one.about ?? '', one.problem, one.expected ?? '', one.found ?? '', ...one.models], words),
  );
  const cases = found.reduce((sum, [, one]) => sum + one.count, 0);
  count.textContent = `${countOf(found.length, 'cause')} for ${countOf(cases, 'case')} that did not pass`;
  view.replaceChildren(
    ...(found.length > 0
      ? [element('ol', { class: 'causes' }, ...found.map(([index, one]) => causeItem(one, index)))]
      : [element('p', {}, 'No cause matches this filter.')]),
  );
}

/** @param {PageCause} one @param {number} index */
function causeItem(one, index) {
  const cases = element(
    'button',
    { type: 'button', class: 'link' },
    one.extent,
  );
  cases.addEventListener('click', () => {
    go({ view: 'cases', cause: String(index) });
    scrollTo(0, 0);
  });
  const more = one.others > 0 ? ` and ${one.others} more` : '';
  const sides = [
    one.expected === undefined ? undefined : ['Expected: ', one.expected],
    one.found === undefined ? undefined : ['Found: ', one.found],
  ].filter((side) => side !== undefined);
  return element(
    'li',
    {},
    element(
      'p',
      { class: 'cause' },
      element('span', { class: `badge ${one.standing}` }, `${SIGNS[one.standing]} ${one.standing}`),
      cases,
      ...(one.about === undefined ? [] : [element('code', {}, one.about)]),
      element('span', {}, one.problem),
    ),
    ...(sides.length > 0
      ? [element('p', {}, ...sides.flatMap(([name = '', text = '']) => [name, element('code', {}, text), ' ']))]
      : []),
    element('p', { class: 'soft' }, `${one.models.join(', ')}${more}`),
    commandLine(one.again),
  );
}
