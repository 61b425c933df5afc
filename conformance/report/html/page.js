// Draws the report from the JSON in the page. All of it comes from outside, so it goes in as text, never as HTML.
// What is shown stands in the address, so that a view can be linked to and Back works.
(() => {
  /**
   * @typedef {import('../html.ts').PageData} PageData
   * @typedef {import('../html.ts').PageCase} PageCase
   * @typedef {import('../html.ts').PageExchange} PageExchange
   * @typedef {import('../summary.ts').Standing} Standing
   * @typedef {import('../../outcome.ts').CoverageItem} CoverageItem
   * @typedef {Node | string} Child
   */

  /** @type {PageData} */
  const data = JSON.parse(document.getElementById('results')?.textContent ?? '');
  const VIEWS = /** @type {const} */ (['matrix', 'cases', 'requirements', 'coverage']);
  const PAGE = 200;
  /** Never colour alone. @type {Record<Standing, string>} */
  const SIGNS = { pass: '✓', skip: '–', excused: '~', advice: 'i', blocked: '!', fail: '✕', error: '!!' };

  const models = [...new Set(data.cases.map((one) => one.model))];
  const groups = [...new Set(data.cases.map((one) => one.group))];
  const requirements = new Map(data.requirements.map((row) => [row.id, row]));
  const texts = new Map(data.cases.map((one) => [one, searchText(one)]));
  let state = readState();
  let shown = PAGE;

  const view = element('div', { id: 'view', tabindex: '-1' });
  const count = element('p', { class: 'count', role: 'status' });
  const search = element('input', {
    type: 'search',
    placeholder: 'Filter by model, field, rule or text',
    'aria-label': 'Filter by text',
  });
  const pickModel = picker('model', 'All models', models);
  const pickGroup = picker('group', 'All rules', groups);
  const pickRequirement = picker('requirement', 'All requirements', [...requirements.keys()]);
  const chips = element('div', { class: 'chips', role: 'group', 'aria-label': 'Outcomes' });
  const clear = element('button', { type: 'button', class: 'plain' }, 'Clear');
  const tabs = element('nav', { 'aria-label': 'Views' });

  theme();
  document.body.prepend(
    element('a', { class: 'skip-link', href: '#view' }, 'Skip to the results'),
    pageHeader(),
    element(
      'main',
      {},
      element(
        'div',
        { class: 'filters', role: 'search' },
        search,
        pickModel,
        pickGroup,
        pickRequirement,
        chips,
        clear,
      ),
      count,
      view,
    ),
  );

  search.addEventListener('input', () => go({ text: search.value }, true));
  clear.addEventListener('click', () =>
    go({ text: '', model: '', group: '', requirement: '', standings: [] }),
  );
  draw();

  // --- state -------------------------------------------------------------------------------------------------

  function readState() {
    const hash = new URLSearchParams(location.hash.slice(1));
    const named = hash.get('view');
    return {
      view: VIEWS.find((one) => one === named) ?? 'matrix',
      text: hash.get('text') ?? '',
      model: hash.get('model') ?? '',
      group: hash.get('group') ?? '',
      requirement: hash.get('requirement') ?? '',
      standings: data.standings.filter((one) => hash.getAll('outcome').includes(one)),
    };
  }

  /** @param {Partial<ReturnType<typeof readState>>} next */
  function address(next) {
    const { view, text, model, group, requirement, standings } = { ...state, ...next };
    const hash = new URLSearchParams({ view });
    for (const [name, value] of Object.entries({ text, model, group, requirement }))
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

  addEventListener('popstate', () => {
    state = readState();
    shown = PAGE;
    draw();
  });

  function draw() {
    if (document.activeElement !== search) search.value = state.text;
    pickModel.value = state.model;
    pickGroup.value = state.group;
    pickRequirement.value = state.requirement;
    const ofCases = state.view === 'matrix' || state.view === 'cases';
    for (const part of [pickModel, pickGroup, pickRequirement, chips]) part.hidden = !ofCases;
    clear.hidden = address({}) === address({ text: '', model: '', group: '', requirement: '', standings: [] });
    drawTabs();
    drawChips();
    const cases = chosen(state.standings);
    if (state.view === 'matrix') drawMatrix(cases);
    if (state.view === 'cases') drawCases(cases);
    if (state.view === 'requirements') drawRequirements();
    if (state.view === 'coverage') drawCoverage();
  }

  /** The cases the filters let through, of these standings; of every standing when there are none. */
  function chosen(/** @type {readonly Standing[]} */ standings) {
    const words = wordsOf(state.text);
    return data.cases.filter(
      (one) =>
        (state.model === '' || one.model === state.model) &&
        (state.group === '' || one.group === state.group) &&
        (state.requirement === '' || one.requirement === state.requirement) &&
        (standings.length === 0 || standings.includes(one.standing)) &&
        words.every((word) => texts.get(one)?.includes(word)),
    );
  }

  function wordsOf(/** @type {string} */ text) {
    return text.toLowerCase().split(/\s+/).filter(Boolean);
  }

  function searchText(/** @type {PageCase} */ one) {
    return [one.id, one.title, one.requirement, one.setting, one.message, one.expected, one.found, one.excused]
      .filter(Boolean)
      .join(' ')
      .toLowerCase();
  }

  // --- head --------------------------------------------------------------------------------------------------

  function pageHeader() {
    const facts = [
      ['Started', data.startedAt.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')],
      ['Took', `${(data.durationMs / 1000).toFixed(1)} s`],
      ['Requests', data.requests.toLocaleString('en')],
      [
        'Profile',
        data.profile.name + (data.profile.differs.length > 0 ? ` (${data.profile.differs.join(', ')})` : ''),
      ],
      ['Seed', String(data.seed)],
      ...(data.readOnly ? [['Read-only', 'nothing but GET was sent']] : []),
    ];
    const toggle = element('button', { type: 'button', class: 'plain', id: 'theme' });
    toggle.addEventListener('click', () => theme(isDark() ? 'light' : 'dark'));
    return element(
      'header',
      {},
      element(
        'div',
        { class: 'head' },
        element(
          'div',
          {},
          element('h1', {}, `${data.catalogue.title} ${data.catalogue.version}`),
          element(
            'p',
            {},
            element(
              'span',
              { class: `verdict ${data.conformant ? 'pass' : 'fail'}` },
              data.conformant ? '✓ Conformant' : '✕ Not conformant',
            ),
            element('code', {}, data.target),
          ),
        ),
        toggle,
      ),
      element(
        'dl',
        { class: 'facts' },
        ...facts.map(([name = '', value = '']) =>
          element('div', {}, element('dt', {}, name), element('dd', {}, value)),
        ),
      ),
      ...notice('Entries of the baseline that fail no more; remove them', data.staleBaseline),
      ...notice('Records that could not be removed', data.leftovers),
      tabs,
    );
  }

  /** @param {string} title @param {readonly string[]} items */
  function notice(title, items) {
    if (items.length === 0) return [];
    const more = items.length > 100 ? ` and ${items.length - 100} more` : '';
    return [element('p', { class: 'notice' }, `${title}: ${items.slice(0, 100).join(', ')}${more}`)];
  }

  /** @param {'light' | 'dark'} [wanted] */
  function theme(wanted) {
    const root = document.documentElement;
    try {
      if (wanted) localStorage.setItem('theme', wanted);
      root.dataset.theme = localStorage.getItem('theme') ?? '';
    } catch {
      // A page opened from a file may have no storage; the choice then lasts as long as the page.
      root.dataset.theme = wanted ?? '';
    }
    queueMicrotask(() => {
      const toggle = document.getElementById('theme');
      if (toggle) toggle.textContent = isDark() ? 'Light' : 'Dark';
      toggle?.setAttribute('aria-label', `Show in ${isDark() ? 'light' : 'dark'} colours`);
    });
  }

  function isDark() {
    const named = document.documentElement.dataset.theme;
    return named ? named === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  }

  function drawTabs() {
    const held = data.requirements.filter((row) => row.state === 'held').length;
    const items = Object.values(data.coverage).flat();
    const exercised = items.filter((item) => item.exercised).length;
    /** @type {Record<string, [string, string]>} */
    const names = {
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
  }

  function drawChips() {
    const all = chosen([]);
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.standing : '';
    chips.replaceChildren(
      ...data.standings
        .filter((standing) => data.cases.some((one) => one.standing === standing))
        .reverse()
        .map((standing) => {
          const on = state.standings.includes(standing);
          const number = all.filter((one) => one.standing === standing).length;
          const chip = element(
            'button',
            { type: 'button', class: `chip ${standing}`, 'aria-pressed': String(on), 'data-standing': standing },
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
    if (focused) /** @type {HTMLElement | null} */ (chips.querySelector(`[data-standing="${focused}"]`))?.focus();
  }

  /** @param {'model' | 'group' | 'requirement'} name @param {string} all @param {string[]} values */
  function picker(name, all, values) {
    const select = element(
      'select',
      { 'aria-label': all.replace('All ', 'Only one of the ') },
      element('option', { value: '' }, all),
      ...values.map((value) => element('option', { value }, value)),
    );
    select.addEventListener('change', () => go({ [name]: select.value }));
    return select;
  }

  // --- matrix ------------------------------------------------------------------------------------------------

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
    count.textContent = `${rows.length} models, ${columns.length} rule groups, ${cases.length.toLocaleString('en')} cases`;
    view.replaceChildren(
      element('div', { class: 'matrix' }, table),
      element(
        'p',
        { class: 'legend' },
        'A cell counts the cases that passed or were skipped, of all where there are others; its sign is the gravest:',
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
    const standing = good === cases.length ? (onlySkipped ? 'skip' : 'pass') : (data.standings[worst] ?? 'pass');
    const text = good === cases.length ? String(good) : `${good}/${cases.length}`;
    const label = `${model}, ${group || 'all'}: ${good} of ${cases.length}, ${standing}`;
    const button = cellButton(model, group, text, label);
    button.className = standing;
    if (standing !== 'pass') button.prepend(element('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[standing]));
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

  // --- cases -------------------------------------------------------------------------------------------------

  function drawCases(/** @type {PageCase[]} */ cases) {
    const rank = (/** @type {PageCase} */ one) => data.standings.indexOf(one.standing);
    const sorted = cases.toSorted((one, other) => rank(other) - rank(one));
    count.textContent = `${cases.length.toLocaleString('en')} of ${data.cases.length.toLocaleString('en')} cases, gravest first`;
    const list = sorted.slice(0, shown).map(caseBlock);
    const [first] = sorted;
    if (list[0] && first && (first.exchanges.length > 0 || cases.length === 1)) list[0].open = true;
    view.replaceChildren(...list);
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
    const source = row ? `${row.says} (section ${row.section})` : one.requirement;
    /** @type {[string, string | undefined, string?][]} */
    const facts = [
      ['Message', one.message],
      ['Expected', one.expected, 'expected'],
      ['Found', one.found, 'found'],
      ['Rule', `${one.rule}: ${one.title}`],
      [one.setting === undefined ? 'Source' : 'Source, open', source],
      ['Assumed', one.setting && `setting ${one.setting} of the profile`],
      ['Second try', one.retried],
      ['Excused', one.excused],
      [
        'Counts',
        one.level === 'advice' ? 'no: the source does not state it, so it is advice' : undefined,
      ],
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
    one.exchanges.forEach((exchange, index) => {
      body.append(exchangeBlock(exchange, index + 1 === one.exchanges.length));
    });
    if (one.left > 0)
      body.append(
        element('p', { class: 'soft more' }, `${one.left} earlier exchanges are not in this page; --json has all.`),
      );
    return body;
  }

  /** @param {PageExchange} exchange @param {boolean} open */
  function exchangeBlock({ request, response, curl }, open) {
    const copy = element('button', { type: 'button', class: 'plain' }, 'Copy');
    const line = element('pre', {}, curl);
    copy.addEventListener('click', () => copyText(line, copy));
    return element(
      'details',
      { class: 'exchange', ...(open ? { open: '' } : {}) },
      element('summary', {}, element('code', {}, `${request.method} ${request.url} → ${response.status}`)),
      element(
        'div',
        { class: 'sides' },
        side(`Sent: ${request.method}`, request.headers, request.body ?? ''),
        side(`Answered: ${response.status}`, response.headers, response.body),
      ),
      element('div', { class: 'curl' }, line, copy),
    );
  }

  /** @param {string} title @param {Readonly<Record<string, string>>} headers @param {string} body */
  function side(title, headers, body) {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return element(
      'section',
      {},
      element('h3', {}, title),
      element('details', {}, element('summary', {}, `${lines.length} headers`), element('pre', {}, lines.join('\n'))),
      body === '' ? element('p', { class: 'soft' }, 'no body') : element('pre', {}, indentJson(body)),
    );
  }

  /** @param {HTMLElement} line @param {HTMLElement} button */
  async function copyText(line, button) {
    try {
      await navigator.clipboard.writeText(line.textContent ?? '');
      button.textContent = 'Copied';
    } catch {
      // Where a page may not write to the clipboard, the reader's own copy command can.
      getSelection()?.selectAllChildren(line);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  }

  /** Spaces JSON out as it was sent: parsed and written anew, long numbers and repeated keys would change. */
  function indentJson(/** @type {string} */ text) {
    try {
      JSON.parse(text);
    } catch {
      return text;
    }
    let depth = 0;
    const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
    return tokens
      .map((token, index) => {
        const line = () => `\n${'  '.repeat(depth)}`;
        if (token === '{' || token === '[') {
          depth++;
          return '}]'.includes(tokens[index + 1] ?? ' ') ? token : token + line();
        }
        if (token === '}' || token === ']') {
          depth--;
          return '{['.includes(tokens[index - 1] ?? ' ') ? token : line() + token;
        }
        if (token === ',') return token + line();
        return token === ':' ? ': ' : token;
      })
      .join('');
  }

  // --- requirements and coverage -----------------------------------------------------------------------------

  function drawRequirements() {
    /** @type {Record<string, [number, Standing]>} */
    const looks = { broken: [0, 'fail'], 'not tested': [1, 'skip'], held: [2, 'pass'] };
    const words = wordsOf(state.text);
    const rows = data.requirements
      .filter((row) => matches([row.id, row.section, row.says, row.state, row.why ?? ''], words))
      .toSorted((one, other) => (looks[one.state]?.[0] ?? 0) - (looks[other.state]?.[0] ?? 0));
    count.textContent = `${rows.length} of ${data.requirements.length} statements of the source`;
    const numbers = Map.groupBy(data.cases, (one) => one.requirement);
    view.replaceChildren(
      table(
        ['State', 'Statement', 'Section', 'Requirement', 'Cases'],
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
    count.textContent = 'What passed at least once, and why the rest did not';
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
          ['Not exercised', 'Why'],
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
        element('ul', { class: 'names' }, ...named.map((item) => element('li', {}, element('code', {}, item.name)))),
      ),
    );
    return block;
  }

  /** @param {string[]} head @param {Node[]} rows */
  function table(head, rows) {
    return element(
      'div',
      { class: 'table' },
      element(
        'table',
        {},
        element('thead', {}, element('tr', {}, ...head.map((name) => element('th', { scope: 'col' }, name)))),
        element('tbody', {}, ...rows),
      ),
    );
  }

  /** @param {string[]} parts @param {string[]} words */
  function matches(parts, words) {
    const text = parts.join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  }

  /**
   * An element; strings become text.
   * @template {keyof HTMLElementTagNameMap} Tag
   * @param {Tag} tag
   * @param {Record<string, string>} attributes
   * @param {Child[]} children
   */
  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }
})();
