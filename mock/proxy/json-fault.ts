const MARKS = '{}[],:';
const SPACE = /[ \t\n\r]*/y;
const WORD = /[^ \t\n\r"{}[\],:]*/y;

type Wanted = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | 'more';

/**
 * Where a text stops being JSON, as its index; the length when only its end is missing. V8 says this of some faults
 * alone, and of the others shows what stands around them, which may be a secret. Written by hand because jsonc-parser
 * calls itself for every level: a text of 100,000 brackets ends its stack.
 */
export function findJsonFault(text: string): number {
  const closers: ('}' | ']')[] = [];
  let wanted: Wanted = 'value';
  for (let at = endOf(SPACE, text, 0); at < text.length; ) {
    const end = tokenEnd(text, at);
    const next = follow(text.slice(at, end), wanted, closers);
    if (next === undefined) return at;
    wanted = next;
    at = endOf(SPACE, text, end);
  }
  return text.length;
}

/** What may come after a token, and keeps the closers that are still to come; undefined where the token is wrong. */
function follow(token: string, wanted: Wanted, closers: ('}' | ']')[]): Wanted | undefined {
  const takesValue = wanted === 'value' || wanted === 'value or ]';
  switch (token) {
    case '{':
    case '[':
      if (!takesValue) return undefined;
      closers.push(token === '{' ? '}' : ']');
      return token === '{' ? 'name or }' : 'value or ]';
    case '}':
    case ']':
      if (closers.at(-1) !== token || !(wanted === 'more' || wanted.endsWith(token))) return undefined;
      closers.pop();
      return 'more';
    case ',':
      if (wanted !== 'more' || closers.length === 0) return undefined;
      return closers.at(-1) === '}' ? 'name' : 'value';
    case ':':
      return wanted === ':' ? 'value' : undefined;
  }
  if (!isJson(token)) return undefined;
  if (takesValue) return 'more';
  return wanted.startsWith('name') && token.startsWith('"') ? ':' : undefined;
}

/** The end of a mark, a text in quotes, or a word of anything else. */
function tokenEnd(text: string, start: number): number {
  if (MARKS.includes(text.charAt(start))) return start + 1;
  if (text[start] !== '"') return endOf(WORD, text, start);
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  pattern.test(text);
  return pattern.lastIndex;
}

function isJson(token: string): boolean {
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false;
  }
}
