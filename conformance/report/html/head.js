// Who was checked, how and with what verdict.

/** @type {Record<typeof data.verdict, { standing: Standing, sign: string }>} */
const VERDICTS = {
  conformant: { standing: 'pass', sign: '✓' },
  'reads conformant': { standing: 'pass', sign: '✓' },
  incomplete: { standing: 'blocked', sign: '?' },
  'not conformant': { standing: 'fail', sign: '✕' },
  inconclusive: { standing: 'blocked', sign: '?' },
};

function pageHeader() {
  const facts = [
    ['Started', data.startedAt.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')],
    ['Duration', `${(data.durationMs / 1000).toFixed(1)} s`],
    ['Requests', data.requests.toLocaleString('en')],
    ['Profile', data.profileLine],
    ['Seed', String(data.seed)],
    ...(data.tag === undefined ? [] : [['Tag', data.tag]]),
    ...(data.readOnly ? [['Read-only', 'only GET requests']] : []),
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
            { class: `verdict ${VERDICTS[data.verdict].standing}` },
            `${VERDICTS[data.verdict].sign} ${data.headline}`,
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
    ...notice('The run', data.remarks),
    ...notice('Not built, so not judged', data.notBuilt ?? []),
    ...notice('Violations in cases that were not selected (no effect on the verdict)', data.findings),
    ...notice('Advice about the target', data.oddities ?? []),
    ...notice('Stale baseline entries (these cases no longer fail, so remove the entries)', data.staleBaseline),
    ...notice('Expired baseline entries (these failures count again)', data.expiredBaseline),
    ...notice('Records that could not be removed (delete them yourself)', data.leftovers),
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
    toggle?.setAttribute('aria-label', `Use ${isDark() ? 'light' : 'dark'} colors`);
  });
}

function isDark() {
  const named = document.documentElement.dataset.theme;
  return named ? named === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}
