import { type Declaration, open, PARAMETER, whole } from './kinds.ts';

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
export function pagesOf({ 'list.paging': paging }: { readonly 'list.paging': Paging }) {
  return paging === 'none' ? undefined : { ...paging, ...sizesOf(paging) };
}

/** A size that is missing or unknown adapts to the other one, because the default is at most the maximum. */
function sizesOf(given: { readonly default?: unknown; readonly max?: unknown }) {
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

const SIZE = {
  anyOf: [{ const: 'unknown' }, whole(1, MOST)],
  'x-expected': `unknown, or a whole number from 1 to ${MOST}`,
};

const PAGES = {
  type: 'object',
  properties: { style: { enum: STYLES }, size: PARAMETER, from: PARAMETER, default: SIZE, max: SIZE },
  required: ['style'],
  additionalProperties: false,
};

/** `none`, a style such as `page`, or an object with a style and the parts that differ from the usual ones. */
export const PAGING: Declaration<Paging> = open<Paging>(
  { anyOf: [{ enum: [...STYLES, 'none'] }, PAGES] },
  [
    completePages({ style: 'offset', ...USUAL }),
    completePages({ style: 'page', ...USUAL }),
    completePages({ style: 'index', ...USUAL }),
    completePages({ style: 'offset', size: 'perPage', from: 'skip', default: 20 }),
    completePages({ style: 'page', from: 'p', default: 20, max: 50 }),
    'none',
  ],
  ({ value }) => {
    if (value === 'none') return value;
    // The schema accepts a style, or an object with one.
    return completePages((typeof value === 'string' ? { style: value } : value) as GivenPages);
  },
);

type GivenPages = Pick<Pages, 'style'> & Partial<Pages>;

function completePages({ style, size = USUAL.size, from = usualFrom(style), ...given }: GivenPages): Pages {
  return Object.freeze({ style, size, from, ...sizesOf(given), ...given });
}
