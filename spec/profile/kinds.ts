import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Place } from '../files/place.ts';
import { checkValue } from '../files/shape.ts';
import { MODEL_FORMS } from '../wire/model-place.ts';

/** A JSON Schema (2020-12). Messages name what it accepts by its `x-expected`. */
export type OptionSchema = Readonly<Record<string, unknown>>;

/** The possible answers to a question that the source leaves open: type, check, default, and schema come from them. */
export type Declaration<Value> = {
  /** The default and the other answers: all of them for a closed set, examples for an open one. */
  readonly variants: readonly Value[];
  /** The schema of an answer in a file. */
  readonly schema: OptionSchema;
  /** Takes a value that obeys the schema. Throws UsageError for names that the catalogue does not have. */
  readonly read?: (place: Place, name: string, catalogue: Catalogue) => Value;
};

/** Takes the value of a profile file. Throws UsageError with the way out. */
export function readOption(
  { name, read, schema, variants }: Declaration<unknown> & { readonly name: string },
  place: Place,
  catalogue: Catalogue,
): unknown {
  // `unset: null` is what a person writes for the option called null.
  if (place.value === null && variants.includes('null')) return 'null';
  checkValue(place, schema, name);
  return read ? read(place, name, catalogue) : place.value;
}

/** One of a few words. The first is the default. */
export function oneOf<const Word extends string>(...words: readonly [Word, ...Word[]]) {
  return open<Word>({ enum: words }, words);
}

/** An option that obeys a schema. The first of the options is the default, and the others are examples. */
export function open<Value>(
  schema: OptionSchema,
  variants: readonly [Value, ...Value[]],
  read?: Declaration<Value>['read'],
): Declaration<Value> {
  return { variants, schema, ...(read && { read }) };
}

/** A member of a body, as `_embedded` of HAL, `hydra:member` of JSON-LD and `@odata.count` of OData are. */
const MEMBER = '[_@$]?[A-Za-z][A-Za-z0-9_.:@$-]*';
const NAMED = `(${MEMBER})?(${MODEL_FORMS.map((form) => form.replace(/[{}]/g, '\\$&')).join('|')})[A-Za-z0-9_-]*`;

/** A JSON pointer that may name the model, as in `/{models}`: `pointerFor` makes one of it. */
export const MODEL_POINTER = matching(
  `(/(${MEMBER}|${NAMED})){0,8}`,
  `a JSON pointer such as /data, or "", or one with the name of the model: ${MODEL_FORMS.join(', ')}`,
);

const HEADER = 'header [A-Za-z][A-Za-z0-9_-]{0,63}';

const PARAMETER_NAME = '[A-Za-z$_][A-Za-z0-9_.$-]{0,47}(\\[[A-Za-z0-9_.$-]{1,14}\\])?';

/** The name of a query parameter of lists, in any dialect: `limit`, `$limit`, `page[size]`. */
export const PARAMETER = matching(
  PARAMETER_NAME,
  'a name of letters, digits, - . _ $, and at most one part in brackets at the end',
);

const PLACES = {
  header: [HEADER, 'header NAME'],
  query: [HEADER.replace('header', 'query'), 'query NAME'],
  body: [`(/${MEMBER}){1,8}`, 'a JSON pointer such as /total'],
  field: [`field ${PARAMETER_NAME}`, 'field PARAMETER'],
  fields: [`fields ${PARAMETER_NAME}`, 'fields PARAMETER'],
} as const;

/** A word, or a place: `header X-Total-Count`, `query version`, `/total`, or `field sort`. */
export function wordOrPlace(
  words: readonly string[],
  places: readonly (keyof typeof PLACES)[],
): OptionSchema {
  const [forms, expected] = [0, 1].map((part) => [...words, ...places.map((place) => PLACES[place][part])]);
  return matching(`(${forms?.join('|')})`, expected?.join(', ') ?? '');
}

/** The place that an option names, such as `header X-Total-Count`, `query version`, or `/total`; undefined for a word. */
export function placeIn(
  option: string,
): { readonly in: 'header' | 'query' | 'body'; readonly name: string } | undefined {
  if (option.startsWith('/')) return { in: 'body', name: option };
  const [place, name] = option.split(' ');
  return (place === 'header' || place === 'query') && name !== undefined ? { in: place, name } : undefined;
}

/** Returns the name of the header in an option; undefined if it names none. */
export function headerIn(option: string): string | undefined {
  const place = placeIn(option);
  return place?.in === 'header' ? place.name : undefined;
}

/** Returns the query parameter for sorting, and whether it takes several fields; undefined without sorting. */
export function sortingIn(
  option: string,
): { readonly parameter: string; readonly several: boolean } | undefined {
  const [kind, parameter] = option.split(' ');
  return parameter === undefined ? undefined : { parameter, several: kind === 'fields' };
}

/** The status of a success. */
export const SUCCESS = whole(200, 299);

/** The status of a refusal. 401, 403, and 429 say nothing about the content of a request. */
export const REFUSAL = {
  ...whole(400, 499),
  not: { enum: [401, 403, 429] },
  'x-expected': 'a whole number from 400 to 499, except 401, 403, and 429, which describe the client',
};

/** The status of what does not exist: 501 is an answer to such a method; no other 5xx ever says no. */
export const ABSENCE = {
  anyOf: [REFUSAL, { const: 501 }],
  'x-expected': `${REFUSAL['x-expected']}, or 501`,
};

/** A number, or the word none. */
export const LIMIT = {
  anyOf: [{ const: 'none' }, whole(1, 1_000_000)],
  'x-expected': 'none, or a whole number from 1 to 1000000',
};

export function whole(minimum: number, maximum: number): OptionSchema {
  return {
    type: 'integer',
    minimum,
    maximum,
    'x-expected': `a whole number from ${minimum} to ${maximum}`,
  };
}

function matching(form: string, expected: string): OptionSchema {
  return { type: 'string', pattern: new RegExp(`^${form}$`).source, 'x-expected': expected };
}
