import { createHmac } from 'node:crypto';
import { extname } from 'node:path';
import type { TextKind } from './personal-fields.ts';

/** A text of a field that is replaced. */
export type Original = { readonly kind: Exclude<TextKind, 'kept'>; readonly text: string };

const WORD = /\p{L}[\p{L}\p{M}]*/gu;
const TOKEN = /\p{L}[\p{L}\p{M}]*|\p{Nd}+/gu;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const PHONE = /^[\d\s+().\-/]*$/;
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;
/** Replacements can contain original words that are shorter than this, because most texts contain such words. */
const SHORTEST_AVOIDED = 3;
/** The number of candidates for a word before a random one is used. */
const MOST_TRIES = 200;
const FEWEST_DIGITS = 5;

/** Words between the parts of a name. They say nothing about the person. */
const PARTICLES = new Set(
  'a al and con da das de del della der di do dos e el en for i la las los of para por the van von y'.split(
    ' ',
  ),
);
const CONSONANTS = 'bcdfglmnprstv';
const VOWELS = 'aeiou';

/** A text that is in several fields gets the first of its kinds, so that its replacement is the same in each. */
const STRONGEST: readonly Original['kind'][] = ['email', 'phone', 'account', 'url', 'name', 'text'];

/**
 * Returns a function that replaces texts: the same text by the same one, and different texts by different ones, as far
 * as their lengths allow. It replaces word by word, so that the first name of a person is the same in each field. The
 * same seed and originals give the same replacements. No replacement has a word of a name, an address, or a number of
 * the originals. `randomName` returns a name of a person for a number.
 */
export function createPseudonyms(
  originals: readonly Original[],
  {
    longest,
    randomName,
    seed,
  }: {
    readonly seed: string;
    readonly randomName: (number: number) => string;
    /** Maximum number of characters of a text. */
    readonly longest: number;
  },
): (original: Original) => string {
  const known = collectWords(originals);
  const used = new Set<string>();
  const words = new Map<string, string>();
  const digits = new Map<string, string>();
  const texts = new Map<string, string>();
  return ({ kind, text }) => {
    const before = texts.get(text);
    if (before !== undefined) return before;
    const made = [...replace({ text, kind: known.kinds.get(text) ?? kind })];
    const replaced = made.slice(0, longest).join('').trimEnd();
    texts.set(text, replaced);
    return replaced;
  };

  function replace({ kind, text }: Original): string {
    switch (kind) {
      case 'email':
        return EMAIL.test(text) ? replaceEmail(text) : replaceWords(text);
      case 'phone':
        return PHONE.test(text) && countDigits(text) >= FEWEST_DIGITS
          ? replacePhone(text)
          : replaceWords(text);
      case 'url':
        return replaceUrl(text);
      case 'account': {
        const plain = text.replaceAll(' ', '').toUpperCase();
        return IBAN.test(plain) ? replaceIban(text, plain) : replaceWords(text);
      }
      case 'name':
        return replaceWords(text, isOnlyParticles(text) ? undefined : PARTICLES);
      case 'text':
        return replaceWords(text);
    }
  }

  /** Replaces each word and each number, and keeps case, signs, and spaces. */
  function replaceWords(text: string, kept?: ReadonlySet<string>): string {
    return text.replace(TOKEN, (token) => {
      if (/^\p{Nd}/u.test(token)) return replaceDigits(token);
      return kept?.has(token.toLowerCase()) ? token : likeCase(replaceWord(fold(token)), token);
    });
  }

  function replaceEmail(text: string): string {
    const local = text.slice(0, text.lastIndexOf('@'));
    const plain = fold(replaceWords(local)).replaceAll(/[^a-z0-9._+-]/g, '') || 'mail';
    for (let index = 0; ; index++) {
      const made = `${plain}${index === 0 ? '' : index}@example.test`;
      if (!known.kinds.has(made) && take(made)) return made;
    }
  }

  /** Keeps the country prefix. After it, three zeros make a number that is not in use. */
  function replacePhone(text: string): string {
    const [prefix = ''] = /^\s*(\+\d{1,3}(?=\D)|\+\d{2}|00\d{2}(?=\D))?/.exec(text) ?? [];
    const rest = text.slice(prefix.length);
    const zeros = Math.min(3, Math.max(0, countDigits(rest) - 6));
    const made = replaceNumber(
      rest.replaceAll(/\D/g, ''),
      'phone',
      (drawn) => '0'.repeat(zeros) + drawn.slice(zeros),
    );
    let at = 0;
    return prefix + rest.replaceAll(/\d/g, () => made[at++] ?? '0');
  }

  function replaceUrl(text: string): string {
    const path = URL.parse(text)?.pathname ?? '';
    const ending = /^\.\w{1,5}$/.test(extname(path)) ? extname(path) : '';
    return `https://example.test/${pseudoWord(`url ${text}`, 12, 0)}${ending}`;
  }

  /** A valid IBAN stays valid (ISO 13616). */
  function replaceIban(text: string, plain: string): string {
    const account = plain
      .slice(4)
      .replaceAll(/\d+|[A-Z]+/g, (part) =>
        /\d/.test(part) ? replaceNumber(part, 'account') : replaceWord(part.toLowerCase()).toUpperCase(),
      );
    const check =
      remainderOf(plain) === 1 ? checkDigits(plain.slice(0, 2), account) : replaceDigits(plain.slice(2, 4));
    const made = plain.slice(0, 2) + check + account;
    let at = 0;
    return text.replaceAll(/[^ ]/g, () => made[at++] ?? '0');
  }

  function replaceWord(word: string): string {
    const before = words.get(word);
    if (before !== undefined) return before;
    const made = makeWord(word);
    words.set(word, made);
    return made;
  }

  function makeWord(word: string): string {
    const length = [...word].length;
    for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
      const made = candidate(word, length, attempt);
      const isFree = length < SHORTEST_AVOIDED ? made !== word : !isKnown(made);
      if (isFree && take(made)) return made;
    }
    // All short words are in use.
    return pseudoWord(word, Math.max(length, 6), MOST_TRIES);
  }

  /** Returns a name for a word of a name, while there are unused ones, and else a word of the same length. */
  function candidate(word: string, length: number, attempt: number): string {
    if (!known.ofNames.has(word) || length < SHORTEST_AVOIDED || attempt > MOST_TRIES / 2)
      return pseudoWord(word, length, attempt);
    // Of a name with several words, the first is enough.
    const [made = ''] = fold(randomName(draw(`name ${word}`, attempt).readUInt32BE())).split(/[^a-z]/);
    return made === '' ? pseudoWord(word, length, attempt) : made;
  }

  function isKnown(made: string): boolean {
    if (known.all.has(made)) return true;
    // A whole name can be a part of another word.
    for (let from = 0; from < made.length; from++)
      for (let to = from + SHORTEST_AVOIDED; to <= made.length; to++)
        if (known.ofNames.has(made.slice(from, to))) return true;
    return false;
  }

  function replaceDigits(text: string): string {
    return replaceNumber(text, 'digits');
  }

  /** Replaces each digit by another one. */
  function replaceNumber(text: string, kind: string, form = (drawn: string) => drawn): string {
    const key = `${kind} ${text}`;
    const before = digits.get(key);
    if (before !== undefined) return before;
    let made = text;
    for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
      made = form(drawDigits(key, text.length, attempt));
      if (made !== text && !(kind === 'phone' && known.numbers.has(made)) && take(`${kind} ${made}`)) break;
    }
    digits.set(key, made);
    return made;
  }

  function drawDigits(key: string, length: number, attempt: number): string {
    let made = '';
    for (let part = 0; made.length < length; part++)
      made += [...draw(`${key} ${part}`, attempt)].map((byte) => byte % 10).join('');
    return made.slice(0, length);
  }

  function pseudoWord(word: string, length: number, attempt: number): string {
    let made = '';
    for (let part = 0; made.length < length; part++) {
      const bytes = draw(`word ${word} ${part}`, attempt);
      const start = (bytes[31] ?? 0) % 2;
      for (const [index, byte] of bytes.subarray(0, 30).entries()) {
        const letters = (index + start) % 2 === 0 ? CONSONANTS : VOWELS;
        made += letters[byte % letters.length];
      }
    }
    return made.slice(0, length);
  }

  function draw(text: string, attempt: number): Buffer {
    return createHmac('sha256', seed).update(`${attempt} ${text}`).digest();
  }

  /** Whether a replacement was not in use. */
  function take(made: string): boolean {
    return used.size < used.add(made).size;
  }
}

/** Returns the words of the originals in lower case and without accents, those of names, and the numbers of phones. */
function collectWords(originals: readonly Original[]) {
  const all = new Set<string>();
  const ofNames = new Set<string>();
  const numbers = new Set<string>();
  const kinds = new Map<string, Original['kind']>();
  for (const { kind, text } of originals) {
    const before = kinds.get(text);
    if (before === undefined || STRONGEST.indexOf(kind) < STRONGEST.indexOf(before)) kinds.set(text, kind);
    const isName = kind === 'name' || kind === 'email';
    const plain = kind === 'email' ? text.slice(0, text.lastIndexOf('@')) : text;
    for (const [word] of plain.matchAll(WORD)) {
      all.add(fold(word));
      if (isName && !PARTICLES.has(word.toLowerCase())) ofNames.add(fold(word));
    }
    if (kind === 'phone') numbers.add(text.replaceAll(/\D/g, ''));
  }
  return { all, kinds, ofNames, numbers };
}

function isOnlyParticles(text: string): boolean {
  return [...text.matchAll(TOKEN)].every(([token]) => PARTICLES.has(token.toLowerCase()));
}

function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function likeCase(made: string, original: string): string {
  if (original === original.toLowerCase()) return made;
  if (original === original.toUpperCase() && original.length > 1) return made.toUpperCase();
  return made.charAt(0).toUpperCase() + made.slice(1);
}

function countDigits(text: string): number {
  return text.replaceAll(/\D/g, '').length;
}

function checkDigits(country: string, account: string): string {
  return String(98 - remainderOf(`${country}00${account}`)).padStart(2, '0');
}

/** Returns the remainder of an IBAN modulo 97 (ISO 7064); 1 if it is valid. */
function remainderOf(iban: string): number {
  const moved = iban.slice(4) + iban.slice(0, 4);
  return [...moved].reduce((rest, sign) => {
    const value = Number.parseInt(sign, 36);
    return (rest * (value > 9 ? 100 : 10) + value) % 97;
  }, 0);
}
