// What the page's scripts build on. All text comes from outside, so it goes in as text, never as HTML.

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
  made.append(...children.map((child) => (typeof child === 'string' ? inOrder(child) : child)));
  return made;
}

/** What turns text around is shown as JSON writes it: `\\u202e`. */
function inOrder(/** @type {string} */ text) {
  return text.replaceAll(/\p{Bidi_Control}/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
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

function wordsOf(/** @type {string} */ text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
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

/** Returns `1 case` or `1,324 cases`. @param {number} number @param {string} word */
function countOf(number, word) {
  return `${number.toLocaleString('en')} ${word}${number === 1 ? '' : 's'}`;
}
