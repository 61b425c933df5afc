/**
 * The characters that the mock tries one by one at the start. Versions of Unicode differ in the order of some: for
 * example, ICU 72 sorts “ after ", and ICU 78 with it.
 */
const EACH: readonly Range[] = [
  // Latin with its accents, Greek, Cyrillic, punctuation, currencies, symbols, and kana.
  [0x1, 0x24f],
  [0x300, 0x3ff],
  [0x400, 0x52f],
  [0x1e00, 0x1eff],
  [0x2010, 0x205e],
  [0x20a0, 0x20bf],
  [0x2100, 0x214f],
  [0x3001, 0x30ff],
];

/** Characters that had their place in Unicode 9: ideographs, Hangul, and emoji. The mock tries some of them. */
const SAMPLED: readonly (readonly [...Range, step: number])[] = [
  [0x4e00, 0x9fa5, 512],
  [0xac00, 0xd7a3, 512],
  [0x1f300, 0x1f64f, 8],
];

/** Most texts have only these characters, and those of their escapes: Latin letters, and a few others. */
const COMMON: readonly Range[] = [
  [0x1, 0x24f],
  [0x2013, 0x2014],
  [0x2022, 0x2022],
  [0x2026, 0x2026],
  [0x20ac, 0x20ac],
];

const UNCOMMON = new RegExp(
  `[^${COMMON.map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join('')}]|\\\\u0000|\\\\ud`,
  'u',
);

/** Whether the JSON of a record has only common characters. */
export function isPlain(json: string): boolean {
  return !UNCOMMON.test(json);
}

/** Returns whether none of the common characters matches. */
export function hasNoCommon(pattern: RegExp): boolean {
  const codes = COMMON.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index),
  );
  return !codes.some((code) => pattern.test(String.fromCodePoint(code)));
}

type Range = readonly [from: number, to: number];

/** The strings for a character. With a letter behind it, a difference between two characters can lose its weight. */
function stringsOf(code: number): readonly string[] {
  const character = String.fromCodePoint(code);
  return [character, `${character}a`, `${character}b`];
}

/** Returns the strings to compare. */
export function repertoireStrings(): readonly string[] {
  return tried().flatMap(stringsOf);
}

/**
 * Returns a pattern for a character that the two orders don't have in the same place, or that was not tried. The ranks
 * are those of `repertoireStrings`. Returns undefined if the orders differ in ASCII.
 */
export function foreignPattern(ranks: readonly number[], otherRanks: readonly number[]): string | undefined {
  const kept: number[] = [];
  const different: number[] = [];
  for (const [place, code] of tried().entries()) {
    const before = kept.slice();
    const indexes = stringsOf(code).map((_, index) => place * stringsOf(code).length + index);
    if (indexes.every((index) => insert(kept, index, ranks, otherRanks))) continue;
    if (code < 0x80) return undefined;
    kept.splice(0, kept.length, ...before);
    different.push(code);
  }
  const same = [...EACH, ...SAMPLED.map(([from, to]): Range => [from, to])].flatMap((range) =>
    without(range, different),
  );
  return `[^${same.map(([from, to]) => `${escaped(from)}-${escaped(to)}`).join('')}]`;
}

/** Inserts a string by its rank. Returns false if it has another place in the other order. */
function insert(
  kept: number[],
  index: number,
  ranks: readonly number[],
  otherRanks: readonly number[],
): boolean {
  const rank = ranks[index] ?? 0;
  let [low, high] = [0, kept.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranks[kept[middle] ?? 0] ?? 0) >= rank) high = middle;
    else low = middle + 1;
  }
  const agrees = (other: number | undefined) =>
    other === undefined ||
    Math.sign((ranks[other] ?? 0) - rank) === Math.sign((otherRanks[other] ?? 0) - (otherRanks[index] ?? 0));
  if (!agrees(kept[low - 1]) || !agrees(kept[low])) return false;
  kept.splice(low, 0, index);
  return true;
}

function tried(): readonly number[] {
  return [...EACH.map(([from, to]) => [from, to, 1] as const), ...SAMPLED].flatMap(([from, to, step]) =>
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step),
  );
}

/** Returns the parts of a range between some characters. */
function without([from, to]: Range, characters: readonly number[]): Range[] {
  const inside = characters.filter((code) => code >= from && code <= to);
  const starts = [from, ...inside.map((code) => code + 1)];
  const ends = [...inside.map((code) => code - 1), to];
  return starts.flatMap((start, index): Range[] => {
    const end = ends[index] ?? to;
    return start <= end ? [[start, end]] : [];
  });
}

function escaped(code: number): string {
  return `\\U${code.toString(16).padStart(8, '0')}`;
}
