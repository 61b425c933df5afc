/** Maximum nesting of a body. A deeper one takes gigabytes to parse, or overflows the stack. */
const DEEPEST = 64;

type Reviver = (name: string, value: unknown, context?: { source?: string }) => unknown;

/** Returns the value of a JSON text; undefined if the text isn't JSON, or is nested too deep. */
export function parseJson(text: string, reviver?: Reviver): unknown {
  if (isDeep(text)) return undefined;
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
}

function isDeep(text: string): boolean {
  // Most bodies are too short, or have too few brackets.
  if (text.length < 2 * DEEPEST || !hasMany(text, ['[', '{'])) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') at = endOfString(text, at);
    else if (sign === '[' || sign === '{') depth++;
    else if (sign === ']' || sign === '}') depth--;
    if (depth > DEEPEST) return true;
  }
  return false;
}

/** Whether a text has more of the signs than the maximum nesting; much faster than parsing it. */
function hasMany(text: string, signs: readonly string[]): boolean {
  let count = 0;
  for (const sign of signs)
    for (let at = text.indexOf(sign); at >= 0 && count <= DEEPEST; at = text.indexOf(sign, at + 1)) count++;
  return count > DEEPEST;
}

/** Returns the position of the quote that ends a string, or else of the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at++;
  }
  return text.length;
}
