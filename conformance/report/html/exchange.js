// A request with its response.

/** @param {PageExchange} exchange @param {boolean} open */
function exchangeBlock({ request, response, curl }, open) {
  return element(
    'details',
    { class: 'exchange', ...(open ? { open: '' } : {}) },
    element('summary', {}, element('code', {}, `${request.method} ${request.url} → ${response.status}`)),
    element(
      'div',
      { class: 'sides' },
      side(`Request: ${request.method}`, request.headers, request.body ?? ''),
      side(`Response: ${response.status}`, response.headers, response.body),
    ),
    ...(curl === undefined ? [] : [commandLine(curl)]),
  );
}

/** A command line with a button that copies it. */
function commandLine(/** @type {string} */ curl) {
  const copy = element('button', { type: 'button', class: 'plain' }, 'Copy');
  const line = element('pre', {}, curl);
  copy.addEventListener('click', () => copyText(line, copy));
  return element('div', { class: 'curl' }, line, copy);
}

/** @param {string} title @param {Readonly<Record<string, string>>} headers @param {string} body */
function side(title, headers, body) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return element(
    'section',
    {},
    element('h3', {}, title),
    element(
      'details',
      {},
      element('summary', {}, `Headers (${lines.length})`),
      element('pre', {}, lines.join('\n')),
    ),
    body === '' ? element('p', { class: 'soft' }, 'no body') : element('pre', {}, indentJson(body)),
  );
}
