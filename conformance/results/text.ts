import { styleText } from 'node:util';

/** Characters that move a cursor, ring, reverse text, or end a line. A tab is harmless. */
const CONTROLS = /(?!\t)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r' };

/** Text from outside with its control characters shown as JSON writes them: `\u001b`. */
export function showControls(text: string): string {
  return text.replaceAll(CONTROLS, (sign) => SHORT[sign] ?? escaped(sign));
}

/**
 * Returns a report without characters that change the direction of text, shown as JSON writes them: `\u202e`. Each renderer
 * applies it to the complete report.
 */
export function showDirections(report: string): string {
  return report.replaceAll(/\p{Bidi_Control}/gu, escaped);
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Text from outside as one line of a terminal or of a CI log, where no workflow command is read from it. */
export function plainLine(text: string): string {
  return showControls(text)
    .replaceAll('##[', '#\\u0023[')
    .replace(/^(\s*):(?=:)/, '$1\\u003a');
}

/** The same for text of several lines. */
export function plainLines(text: string): string[] {
  return text.split(/\r\n|[\r\n]/).map(plainLine);
}

/** Text on one line, cut at a number of characters, with its control characters shown. */
export function oneLine(text: string, most = 300): string {
  const line = plainLine(text.replaceAll(/\s{2,}|[^\S ]/g, ' ').trim());
  return line.length > most ? `${line.slice(0, most).replace(/…$/, '')}…` : line;
}

/** Text as one word of a shell. */
export function quote(text: string): string {
  if (showControls(text) === text) return `'${text.replaceAll("'", "'\\''")}'`;
  // A shell converts the escapes in $'…' back to characters.
  return `$'${showControls(text.replaceAll(/[\\']/g, '\\$&'))}'`;
}

/** Returns the first items, and the number of the others: `brand, share and 3 more`. */
export function listed(items: readonly string[], most = 3, separator = ', '): string {
  const more = items.length > most ? ` and ${items.length - most} more` : '';
  return items.slice(0, most).join(separator) + more;
}

export function plural(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

export type Paint = ReturnType<typeof painter>;

/** Returns a function that styles text, or that leaves it as it is. */
export function painter(color: boolean) {
  return (style: Parameters<typeof styleText>[0], text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
}
