// The tabs and filters.

const view = element('div', { id: 'view', tabindex: '-1' });
const count = element('p', { class: 'count', role: 'status' });
const search = element('input', {
  type: 'search',
  placeholder: 'Filter by model, field, rule or text',
  'aria-label': 'Filter by text',
});
const pickModel = picker('model', 'All models', models);
const pickGroup = picker('group', 'All rules', groups);
const pickRequirement = picker('requirement', 'All requirements', named);
const chips = element('div', { class: 'chips', role: 'group', 'aria-label': 'Outcomes' });
const clear = element('button', { type: 'button', class: 'plain' }, 'Clear');
const tabs = element('nav', { 'aria-label': 'Views' });

/** @param {'model' | 'group' | 'requirement'} name @param {string} all @param {string[]} values */
function picker(name, all, values) {
  const select = element(
    'select',
    { 'aria-label': all.replace('All ', 'Filter by ').replace(/s$/, '') },
    element('option', { value: '' }, all),
    ...values.map((value) => element('option', { value }, value)),
  );
  select.addEventListener('change', () => go({ [name]: select.value }));
  return select;
}

function drawChips() {
  const all = chosen([]);
  const focused =
    document.activeElement instanceof HTMLElement ? document.activeElement.dataset.standing : '';
  chips.replaceChildren(
    ...data.standings
      .filter((standing) => data.cases.some((one) => one.standing === standing))
      .reverse()
      .map((standing) => {
        const on = state.standings.includes(standing);
        const number = all.filter((one) => one.standing === standing).length;
        const chip = element(
          'button',
          {
            type: 'button',
            class: `chip ${standing}`,
            'aria-pressed': String(on),
            'data-standing': standing,
          },
          `${SIGNS[standing]} ${number.toLocaleString('en')} ${standing}`,
        );
        chip.addEventListener('click', () =>
          go({
            standings: on
              ? state.standings.filter((one) => one !== standing)
              : [...state.standings, standing],
          }),
        );
        return chip;
      }),
  );
  if (focused)
    /** @type {HTMLElement | null} */ (chips.querySelector(`[data-standing="${focused}"]`))?.focus();
}

function drawTabs() {
  const held = data.requirements.filter((row) => row.state === 'held').length;
  const items = Object.values(data.coverage).flat();
  const exercised = items.filter((item) => item.exercised).length;
  /** @type {Record<string, [string, string]>} */
  const names = {
    causes: ['Causes', data.causes.length.toLocaleString('en')],
    matrix: ['Matrix', `${models.length} × ${groups.length}`],
    cases: ['Cases', data.cases.length.toLocaleString('en')],
    requirements: ['Requirements', `${held}/${data.requirements.length}`],
    coverage: ['Coverage', items.length === 0 ? '–' : `${Math.floor((exercised / items.length) * 100)} %`],
  };
  tabs.replaceChildren(
    ...VIEWS.map((name) => {
      const [title = '', number = ''] = names[name] ?? [];
      const current = name === state.view ? { 'aria-current': 'page' } : {};
      const link = element('a', { href: address({ view: name }), ...current }, `${title} `);
      link.append(element('b', { class: 'soft' }, number));
      return link;
    }),
  );
  // On a narrow screen the tabs scroll; the one in use is in view.
  const current = tabs.querySelector('a[aria-current]');
  if (current instanceof HTMLElement) tabs.scrollLeft = current.offsetLeft - tabs.offsetLeft - 40;
}
