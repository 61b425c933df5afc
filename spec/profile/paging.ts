import type { Place } from '../files/place.ts';
import { unexpected } from '../files/usage-error.ts';
import { PARAMETER } from './kinds.ts';
import type { Declaration, Question } from './setting.ts';

/** How clients request a part of a list, and how long a part is. An unknown size is `unknown`. */
export type Paging =
  | 'none'
  | {
      readonly style: 'offset' | 'page' | 'index';
      /** The query parameter for the number of records per page. */
      readonly size: string;
      /** The query parameter for the first record or the page. */
      readonly from: string;
      /** The number of records in a list if the request sets no size. */
      readonly default: number | 'unknown';
      /** The maximum number of records in a list. */
      readonly max: number | 'unknown';
    };

export type Pages = Exclude<Paging, 'none'>;

const STYLES = ['offset', 'page', 'index'] as const;
const USUAL = { size: 'limit', default: 100, max: 500 };
const MOST = 100_000;

/** Returns the usual name of the parameter for the first record or the page. */
export function usualFrom(style: Pages['style']): string {
  return style === 'offset' ? 'offset' : 'page';
}

/** Returns how lists are divided, with a number for each size; undefined if they have no pages. */
export function pagesOf({
  'list.paging': paging,
}: {
  readonly 'list.paging': Paging;
}): (Pages & { readonly default: number; readonly max: number }) | undefined {
  return paging === 'none' ? undefined : { ...paging, ...sizesOf(paging) };
}

/** A size that is missing or unknown adapts to the other one, because the default is at most the maximum. */
function sizesOf(given: { readonly default?: unknown; readonly max?: unknown }): {
  readonly default: number;
  readonly max: number;
} {
  const [usual, max] = [given.default, given.max].map((size) =>
    typeof size === 'number' ? size : undefined,
  );
  return {
    default: usual ?? Math.min(USUAL.default, max ?? USUAL.max),
    max: max ?? Math.max(USUAL.max, usual ?? USUAL.default),
  };
}

/** Whether two options of a setting are the same. A size of a page that is unknown differs from none. */
export function isSameOption(one: unknown, other: unknown): boolean {
  return JSON.stringify(fillSizes(one, other)) === JSON.stringify(fillSizes(other, one));
}

/** Returns an option, with the sizes of another one where its own are unknown. */
export function fillSizes(option: unknown, other: unknown): unknown {
  if (!isPages(option) || !isPages(other)) return option;
  const size = (name: 'default' | 'max') => (option[name] === 'unknown' ? other[name] : option[name]);
  return { ...option, default: size('default'), max: size('max') };
}

/** Returns a way to divide lists, with the sizes of another one. */
export function withSizesOf(option: unknown, other: unknown): unknown {
  return isPages(option) && isPages(other) ? { ...option, default: other.default, max: other.max } : option;
}

/** Whether an option of a setting is a way to divide lists into pages. */
export function isPages(option: unknown): option is Pages {
  return typeof option === 'object' && option !== null && 'style' in option;
}

/** Returns an option as messages show it: `offset (limit, offset, default 20)` for pages. */
export function showOption(option: unknown): string {
  if (!isPages(option)) return typeof option === 'string' && option !== '' ? option : JSON.stringify(option);
  const sizes = (['default', 'max'] as const).filter((name) => option[name] !== 'unknown');
  return `${option.style} (${[option.size, option.from, ...sizes.map((name) => `${name} ${option[name]}`)].join(', ')})`;
}

const SIZE_SCHEMA = { anyOf: [{ const: 'unknown' }, { type: 'integer', minimum: 1, maximum: MOST }] };

/** Reads `none`, a style such as `page`, or an object with a style and the parts that differ from the usual ones. */
export function paging(question: Question): Declaration<Paging> {
  const of = (style: Pages['style'], parts: Partial<Pages> = {}): Pages => ({
    style,
    from: usualFrom(style),
    ...USUAL,
    ...parts,
  });
  return {
    ...question,
    default: inOrder(of('offset')),
    variants: [
      of('offset'),
      of('page'),
      of('index'),
      of('offset', { size: 'perPage', from: 'skip', default: 20 }),
      of('page', { from: 'p', default: 20, max: 50 }),
    ]
      .map((one): Paging => inOrder(one))
      .concat('none'),
    schema: {
      anyOf: [
        { enum: [...STYLES, 'none'] },
        {
          type: 'object',
          properties: {
            style: { enum: STYLES },
            size: { type: 'string', pattern: `^${PARAMETER}$` },
            from: { type: 'string', pattern: `^${PARAMETER}$` },
            default: SIZE_SCHEMA,
            max: SIZE_SCHEMA,
          },
          required: ['style'],
          additionalProperties: false,
        },
      ],
    },
    read: (name, place) => {
      if (place.value === null || typeof place.value !== 'object')
        return place.value === 'none' ? 'none' : inOrder(of(readStyle(name, place)));
      const given = new Map<string, Place>(place.entries().map(([key, part]) => [String(key), part]));
      for (const [key, part] of given)
        if (!Object.hasOwn(READERS, key))
          part.fail(unexpected('part', key, Object.keys(READERS), `of ${name}`));
      const style = readStyle(`style of ${name}`, given.get('style') ?? place);
      const parts = [...given].map(([key, part]) => [
        key,
        READERS[key as keyof Pages](`${key} of ${name}`, part),
      ]);
      const read = { ...of(style), default: undefined, max: undefined, ...Object.fromEntries(parts) };
      const sizes = sizesOf(read);
      return inOrder({ ...read, default: read.default ?? sizes.default, max: read.max ?? sizes.max });
    },
  };
}

function inOrder({ default: usual, from, max, size, style }: Pages): Pages {
  return Object.freeze({ style, size, from, default: usual, max });
}

const READERS: { readonly [Part in keyof Pages]: (name: string, place: Place) => Pages[Part] } = {
  style: readStyle,
  size: readParameter,
  from: readParameter,
  default: readSize,
  max: readSize,
};

function readStyle(name: string, place: Place): Pages['style'] {
  const found = STYLES.find((style) => style === place.value);
  const style = typeof place.value === 'object' ? undefined : place.value;
  return found ?? place.fail(unexpected('value', style, [...STYLES, 'none'], `for ${name}`));
}

function readParameter(name: string, place: Place): string {
  const { value } = place;
  if (typeof value === 'string' && new RegExp(`^${PARAMETER}$`).test(value)) return value;
  return place.fail(
    `${name} must be a name of letters, digits, - . _ $, and at most one part in brackets at the end, but is ${JSON.stringify(value)}.`,
  );
}

function readSize(name: string, place: Place): number | 'unknown' {
  const { value } = place;
  if (value === 'unknown') return value;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST) return value;
  return place.fail(
    `${name} must be unknown, or a whole number from 1 to ${MOST}, but is ${JSON.stringify(value)}.`,
  );
}
