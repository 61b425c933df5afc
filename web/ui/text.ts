/** The attributes of a long text, so that the keyboard can scroll it. */
export const SCROLLABLE = { tabIndex: 0 };

/** Shows characters that reverse the direction of text as JSON writes them: `\\u202e`. */
export function visible(text: string): string {
  return text.replaceAll(
    /\p{Bidi_Control}/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns `1 case` or `1,324 cases`. */
export function countOf(number: number, word: string, plural = `${word}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? word : plural}`;
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether each word of a text is in one of the parts. */
export function matches(parts: readonly (string | undefined)[], text: string): boolean {
  return wordsOf(text).every((word) => parts.some((part) => part?.toLowerCase().includes(word)));
}

/** Returns the reason of a failure for people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the value of JSON, and other text as it is. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Indents JSON as it was sent: if it were parsed and written again, long numbers and repeated keys would change. */
export function indentJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let indented = '';
  let depth = 0;
  let last = ' ';
  for (const token of text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []) {
    const [opens, closes] = ['{['.includes(last), '}]'.includes(token)];
    if (closes) depth--;
    if (opens !== closes || last === ',') indented += `\n${'  '.repeat(depth)}`;
    indented += token === ':' ? ': ' : token;
    if ('{['.includes(token)) depth++;
    last = token;
  }
  return indented;
}
