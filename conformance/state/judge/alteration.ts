import type { Catalogue, Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field, TypeName } from '../../../spec/catalogue/field.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { isObject } from '../../api/places.ts';
import { agrees, isCopy, isToTheMinute } from '../../assert/agreement.ts';

const LINES_LOST: Alteration = { name: 'other lines', level: 'stated' };

const ORDER: Alteration = { name: 'the order of lines changed', level: 'stated' };

/** How a value was changed between write and read, and whether that breaks the contract. */
export type Alteration = {
  readonly name: string;
  /** Seconds are `open` until a response shows some: without any, times have another format (section 2.12). */
  readonly level: 'stated' | 'advice' | 'open';
};

type Row = Alteration & {
  /** The types it is known of; all of them when absent. */
  readonly types?: readonly TypeName[];
  /** Whether this is what became of the value. */
  explains(sent: Value, shown: Value, type: TypeName): boolean;
};

const TEXTS: readonly TypeName[] = ['string', 'text', 'markdown', 'email', 'url', 'image'];
const ADDRESSES: readonly TypeName[] = ['url', 'image'];
const NUMBERS: readonly TypeName[] = ['int', 'float', 'currency', 'percent'];

/**
 * Type × alteration, the first row that explains a difference. What an operation returns is the record (section 4), so
 * that a value which is changed is a breach; what many a service does with good reason, and keeps the meaning, is
 * advice. A value that is refused is no alteration: it belongs to the limits.
 */
const ALTERATIONS: readonly Row[] = [
  {
    name: 'spaces at the ends removed',
    level: 'advice',
    types: TEXTS,
    explains: texts((text) => text.trim()),
  },
  {
    name: 'line ends changed',
    level: 'advice',
    types: TEXTS,
    explains: texts((text) => text.replaceAll(/\r\n?/g, '\n')),
  },
  {
    name: 'Unicode form changed',
    level: 'advice',
    types: TEXTS,
    explains: texts((text) => text.normalize()),
  },
  {
    name: 'spaces, line ends, or Unicode form changed',
    level: 'advice',
    types: TEXTS,
    explains: texts((text) => text.replaceAll(/\r\n?/g, '\n').normalize().trim()),
  },
  {
    name: 'an empty string became null',
    level: 'advice',
    types: TEXTS,
    explains: (sent, shown) => typeof sent === 'string' && sent.trim() === '' && shown === null,
  },
  {
    name: 'format of an email address changed',
    level: 'advice',
    types: ['email'],
    explains: texts((text) => text.trim().toLowerCase()),
  },
  { name: 'format of a URL changed', level: 'advice', types: ADDRESSES, explains: texts(formOfUrl) },
  {
    // How money and percentages are written is not shown (section 2.12): a scale, as DECIMAL(5,2) has one, belongs to it.
    // Of a float nothing is left open.
    name: 'number cut to 2, 3, or 4 decimals',
    level: 'advice',
    types: ['currency', 'percent'],
    explains: numbers((sent, shown) =>
      [2, 3, 4].some(
        (scale) =>
          !hasDecimals(sent, scale) && hasDecimals(shown, scale) && Math.abs(sent - shown) < 10 ** -scale,
      ),
    ),
  },
  {
    name: 'fraction of a second lost',
    level: 'advice',
    types: ['datetime'],
    explains: pair(
      (sent, shown) =>
        Date.parse(shown) % 1000 === 0 && Math.abs(Date.parse(sent) - Date.parse(shown)) < 1000,
    ),
  },
  {
    name: 'seconds lost',
    level: 'open',
    types: ['time', 'datetime'],
    explains: (sent, shown, type) => isToTheMinute({ type }, sent, shown),
  },
  {
    name: 'integer above 2^53 changed',
    level: 'advice',
    types: ['int'],
    explains: numbers((sent) => !Number.isSafeInteger(sent)),
  },
  {
    name: 'integer wrapped or truncated at 32 bits',
    level: 'stated',
    types: NUMBERS,
    explains: numbers((sent, shown) => Math.abs(sent) > 2 ** 31 - 1 && Math.abs(shown) <= 2 ** 32),
  },
  {
    name: 'sign lost',
    level: 'stated',
    types: NUMBERS,
    explains: numbers((sent, shown) => sent === -shown),
  },
  {
    name: 'number rounded',
    level: 'stated',
    types: NUMBERS,
    explains: numbers((sent, shown) => Math.abs(sent - shown) < 1),
  },
  {
    name: 'leading zeros lost',
    level: 'stated',
    types: TEXTS,
    explains: (sent, shown) =>
      typeof sent === 'string' && /^0+\d/.test(sent) && sent.replace(/^0+(?=\d)/, '') === String(shown),
  },
  {
    name: 'string truncated',
    level: 'stated',
    types: TEXTS,
    explains: pair((sent, shown) => shown.length < sent.length && sent.startsWith(shown)),
  },
  {
    name: 'letter case changed',
    level: 'stated',
    types: TEXTS,
    explains: texts((text) => text.toLowerCase()),
  },
  { name: 'accents lost', level: 'stated', types: TEXTS, explains: texts(withoutAccents) },
  {
    name: 'HTML escaped',
    level: 'stated',
    types: TEXTS,
    explains: pair((sent, shown) => sent !== shown && /&(lt|gt|amp|quot|#\w+);/.test(shown)),
  },
  {
    name: 'characters above U+FFFF lost',
    level: 'stated',
    types: TEXTS,
    explains: texts((text) => text.replaceAll(/[\u{10000}-\u{10ffff}]|\?|\ufffd/gu, '')),
  },
];

/** What became of a value that was sent and accepted; both are canonical, and differ. */
export function alterationOf({ type }: Field, sent: Value, shown: Value): Alteration {
  return (
    ALTERATIONS.find((row) => (row.types?.includes(type) ?? true) && row.explains(sent, shown, type)) ?? OTHER
  );
}

const OTHER: Alteration = { name: 'another value', level: 'stated' };

function pair(holds: (sent: string, shown: string) => boolean): Row['explains'] {
  return (sent, shown) => typeof sent === 'string' && typeof shown === 'string' && holds(sent, shown);
}

/** Equal once both went through the same change. */
function texts(change: (text: string) => string): Row['explains'] {
  return pair((sent, shown) => change(sent) === change(shown));
}

function numbers(holds: (sent: number, shown: number) => boolean): Row['explains'] {
  return (sent, shown) => typeof sent === 'number' && typeof shown === 'number' && holds(sent, shown);
}

function hasDecimals(number: number, most: number): boolean {
  return Number(number.toFixed(most)) === number;
}

function withoutAccents(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{Mn}/gu, '');
}

/** An address as the URL standard writes it, without the slash at its end. */
function formOfUrl(text: string): string {
  return URL.parse(text.trim())?.href.replace(/\/$/, '') ?? text;
}

/** What is wrong with a value that is shown where another one is expected; undefined where they agree. */
export type Compare = (field: Field, expected: Value, shown: Value | undefined) => Alteration | undefined;

export function createComparison(catalogue: Catalogue): Compare {
  return compare;

  function compare(field: Field, expected: Value, shown: Value | undefined): Alteration | undefined {
    const line = field.lines === undefined ? undefined : catalogue.models.get(field.lines);
    if (line && Array.isArray(expected) && Array.isArray(shown)) return compareLines(line, expected, shown);
    if (agrees(field, expected, shown)) return undefined;
    return alterationOf(field, expected, shown ?? null);
  }

  /** Lines are an array (section 2): it has an order. What was sent of each line is compared. */
  function compareLines(
    line: Model,
    expected: readonly Value[],
    shown: readonly Value[],
  ): Alteration | undefined {
    if (expected.length !== shown.length) return LINES_LOST;
    const wrong = expected.map((one, index) => compareLine(line, one, shown[index] ?? null));
    const found = wrong.find((alteration) => alteration !== undefined);
    const isElsewhere = (one: Value) => shown.some((other) => compareLine(line, one, other) === undefined);
    return found && expected.every(isElsewhere) ? ORDER : found;
  }

  function compareLine(line: Model, expected: Value, shown: Value): Alteration | undefined {
    // By their ids alone.
    if (!isObject(expected) || !isObject(shown)) return expected === shown ? undefined : LINES_LOST;
    for (const part of line.fields) {
      const value = Object.hasOwn(expected, part.name) ? expected[part.name] : undefined;
      if (value === undefined || value === null || part.readonly || isCopy(part, catalogue)) continue;
      const wrong = compare(part, value, shown[part.name]);
      if (wrong) return wrong;
    }
    return undefined;
  }
}

/** The common fields that stay with a record as long as it is there. */
export function isOrigin({ role }: Field): boolean {
  return role === 'created' || role === 'createdBy';
}

/** Whether a value can't be a default of the service, as a boolean or a member of a value list may be. */
export function isTelling(value: Value): boolean {
  if (typeof value === 'number') return Math.abs(value) > 1_000_000;
  return typeof value === 'string' ? value.length > 3 : isObject(value) || Array.isArray(value);
}
