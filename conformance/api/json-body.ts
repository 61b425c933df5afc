/** What a body holds. */
export type JsonBody = {
  /** Undefined when it is no JSON, or nested too deep. */
  readonly json: unknown;
  /** The first id in it that a number of JavaScript can't hold; in `json` such ids are texts, digit by digit. */
  readonly inexactId?: string;
};

/** No record is nested deeper; to walk through what is takes long, or more stack than there is. */
const DEEPEST = 500;

/** An id that is rounded is the id of another record: a delete would hit that one. */
export function readJson(text: string): JsonBody {
  if (isDeep(text)) return { json: undefined };
  let inexactId: string | undefined;
  const exact = (name: string, value: unknown, { source = '' }: { source?: string } = {}) => {
    if (name !== 'id' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
    inexactId ??= source;
    return source;
  };
  try {
    // To look at every member takes its time; few ids are so long.
    const json: unknown = /"id"\s*:\s*-?\d{16}/.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
    return { json, ...(inexactId === undefined ? {} : { inexactId }) };
  } catch {
    return { json: undefined };
  }
}

function isDeep(text: string): boolean {
  // Most have no room for it, or too few brackets.
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

/** Whether there are more of the signs than may be open at once; much faster than to look at each. */
function hasMany(text: string, signs: readonly string[]): boolean {
  let count = 0;
  for (const sign of signs)
    for (let at = text.indexOf(sign); at >= 0 && count <= DEEPEST; at = text.indexOf(sign, at + 1)) count++;
  return count > DEEPEST;
}

/** The place of the quote that ends a string; the end of the text where none does. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at++;
  }
  return text.length;
}
