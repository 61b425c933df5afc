import { createHash } from 'node:crypto';
import { WIRE_TYPES } from '../../../../spec/types/types.ts';
import type { Ask, Row } from '../rows.ts';
import { SCHEMA } from '../schema.ts';
import { codeOf } from '../trouble.ts';
import { foreignPattern, hasNoCommon, repertoireStrings } from './repertoire.ts';

/** The operations on strings that the database does exactly as this process does. */
export type TextSupport = {
  /**
   * Whether it sorts them as people do: a pattern for a character that it can have in another place. Undefined if its
   * order is another one.
   */
  readonly foreign: string | undefined;
  /** Whether no common character is foreign, so that a plain record has none. */
  readonly knowsPlain: boolean;
  /** Whether it sorts them by their UTF-16 code units. */
  readonly sortsUnits: boolean;
  /** Whether it changes them to lower case. */
  readonly lowers: boolean;
};

const NOTHING: TextSupport = { foreign: undefined, knowsPlain: false, sortsUnits: false, lowers: false };

/** Returns a string for sorting like `Intl.Collator('es')`. Strings that it takes as equal are equal, even if their bytes differ. */
export function collated(text: string): string {
  return `${text} collate ${SCHEMA}.spanish`;
}

/** Returns the condition that a string has a character that matches the pattern. All of ASCII does not. */
export function isForeign(text: string, pattern: string): string {
  return `coalesce(octet_length(${text}) <> length(${text}) and ${text} collate "C" ~ ${pattern}, false)`;
}

/**
 * Returns a string for sorting by UTF-16 code units. They differ from bytes only after U+DFFF: in UTF-16, the characters
 * beyond U+FFFF are before U+E000.
 */
export function byUnits(text: string): string {
  const last = 'chr(1114111)';
  return `(case when octet_length(${text}) = length(${text}) then ${text} else regexp_replace(
    replace(${text} collate "C", ${last}, ${last} || chr(1)), '[\\uE000-\\uFFFF]', ${last} || chr(2) || '\\&', 'g') end) collate "C"`;
}

/** Returns a string in lower case like `toLowerCase`. For ASCII, the fast collation does the same. */
export function lowered(text: string): string {
  return `(case when octet_length(${text}) = length(${text}) then lower(${text} collate "C")
    else lower(${text} collate "und-x-icu") collate "C" end)`;
}

/** Whether the database can store a string: it has no NUL and no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** Compares the database with this process on a list of strings. A database without ICU supports less. */
export async function compareTexts(ask: Ask): Promise<TextSupport> {
  const { rows: encodings } = await ask({
    text: `select current_setting('server_encoding') as name`,
    values: [],
  });
  if (encodings[0]?.name !== 'UTF8') return NOTHING;
  const words = probeWords();
  const foreign = await findForeign(words);
  return {
    foreign,
    knowsPlain: foreign !== undefined && hasNoCommon(toRegExp(foreign)),
    sortsUnits: isSame(await ranksBy(byUnits('word'), words), ranksOf(words, compareUnits)),
    lowers: await lowersAs(words),
  };

  async function findForeign(words: readonly string[]): Promise<string | undefined> {
    const strings = repertoireStrings();
    const own = ranksOf(strings, compareStrings);
    const others = await ranksBy(collated('word'), strings);
    const pattern = others && foreignPattern(own, others);
    if (!pattern) return undefined;
    const foreign = toRegExp(pattern);
    const known = words.filter((word) => !foreign.test(word));
    return isSame(await ranksBy(collated('word'), known), ranksOf(known, compareStrings))
      ? pattern
      : undefined;
  }

  async function ranksBy(expression: string, words: readonly string[]): Promise<number[] | undefined> {
    const text = `select dense_rank() over (order by ${expression})::integer as rank
      from unnest($1::text[]) with ordinality as given (word, place) order by place`;
    return (await tryTo(text, [words]))?.map(({ rank }) => Number(rank));
  }

  async function lowersAs(words: readonly string[]): Promise<boolean> {
    const rows = await tryTo(
      `select md5(string_agg(${lowered('word')}, ' ' order by place)) as hash
        from unnest($1::text[]) with ordinality as given (word, place)`,
      [words],
    );
    const own = words.map((word) => word.toLowerCase()).join(' ');
    return rows?.[0]?.hash === createHash('md5').update(own).digest('hex');
  }

  /** Returns undefined if the database lacks a collation. */
  async function tryTo(text: string, values: unknown[]): Promise<readonly Row[] | undefined> {
    try {
      return (await ask({ text, values })).rows;
    } catch (error) {
      // The class 42 has the unknown names, and 0A what is not supported (PostgreSQL, appendix A).
      if (/^(42|0A|22)/.test(codeOf(error))) return undefined;
      throw error;
    }
  }
}

/** Returns the pattern as a regular expression of this process. */
export function toRegExp(pattern: string): RegExp {
  return new RegExp(pattern.replace(/\\U0*([0-9a-f]+)/g, '\\u{$1}'), 'u');
}

function isSame(ranks: readonly number[] | undefined, others: readonly number[]): boolean {
  return ranks?.every((rank, index) => rank === others[index]) === true;
}

/** Returns the rank of each string. Equal strings have the same rank. */
function ranksOf(words: readonly string[], compare: (one: string, other: string) => number): number[] {
  const order = words.map((word, index) => ({ index, word }));
  order.sort((one, other) => compare(one.word, other.word));
  const ranks: number[] = [];
  let rank = 0;
  for (const [place, { index, word }] of order.entries()) {
    const before = order[place - 1];
    if (!before || compare(before.word, word) !== 0) rank += 1;
    ranks[index] = rank;
  }
  return ranks;
}

function compareStrings(one: string, other: string): number {
  return WIRE_TYPES.string.compare?.(one, other) ?? compareUnits(one, other);
}

function compareUnits(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Parts of strings that differ between collations, or in the length of their lower case. */
const PARTS = [
  ...'aAá ÁàÀ äÄâ ãåÅ æÆb BcC çÇd DeE éÉf ghH iIí ÍjJ kKl Lmn NñÑ oOó ÓöÖ øØœ pqr sSß ẞtu UúÚ üÜv wxy Yÿz Z'.replaceAll(
    ' ',
    '',
  ),
  ...'0123456789',
  ...' _-,;:!¡?¿.\'"()[]{}@*/\\&#%`^+<=>|~$€£½²①ªº…–—“”«»\t\n\r',
  ...['\u0001', '\u001f', '\u007f', '\u00a0', '\u00ad', '\u200b', '\u200d', '\u2028', '\ufeff', '\ufffd'],
  ...['\u0300', '\u0301', '\u0303', '\u0307', '\u0308', '\u0323', '\u0327', 'n\u0303', 'a\u0301', 'i\u0307'],
  ...[
    'İ',
    'ı',
    'Ş',
    'ş',
    'Ð',
    'þ',
    'Ł',
    'ł',
    'ǆ',
    'ǅ',
    'Ǆ',
    'ﬁ',
    'ŉ',
    'll',
    'Ll',
    'ch',
    'rr',
    'Ω',
    'K',
    'Ⅷ',
    'ⓐ',
  ],
  ...[
    'Σ',
    'σ',
    'ς',
    'Ά',
    'ώ',
    'Αι',
    'ᾳ',
    'ᾼ',
    'А',
    'я',
    'Ё',
    'ё',
    'Й',
    'й',
    'ґ',
    'Ա',
    'և',
    'ა',
    'Ა',
    'Ꭰ',
    'ꭰ',
  ],
  ...[
    'א',
    'ש',
    'ب',
    'لا',
    '٣',
    'अ',
    'ก',
    'เก',
    'ア',
    'あ',
    'ｱ',
    '゛',
    '日',
    '本',
    '一',
    '한',
    'ㅎ',
    '각',
    '\u1100',
  ],
  ...[
    'Ａ',
    'ａ',
    '０',
    '\uffee',
    '\ue000',
    '\uf8ff',
    '😀',
    '👩\u200d👧',
    '🇪🇸',
    '𝒜',
    '𐐀',
    '𐐨',
    '\u{20000}',
    '\u{10ffff}',
  ],
];

const MOST_WORDS = 2000;

/** Returns the same strings each time: each part, parts in two contexts, and random sequences of parts. */
function probeWords(): string[] {
  const words = [...PARTS, ...PARTS.flatMap((part) => [`a${part}`, `a${part}b`])];
  // A generator of Numerical Recipes, which needs no state but a number.
  let state = 20_251_022;
  const draw = (most: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % most;
  };
  while (words.length < MOST_WORDS)
    words.push(Array.from({ length: draw(7) }, () => PARTS[draw(PARTS.length)] ?? '').join(''));
  return words;
}
