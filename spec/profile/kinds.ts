import type { Place } from '../files/place.ts';
import { unexpected } from '../files/usage-error.ts';
import { MODEL_FORMS } from '../wire/model-place.ts';
import type { Declaration, Question } from './setting.ts';

/** The kinds of answers a setting takes: each gives the type, the check, and the JSON Schema for editors. */

/** One of a few words; the first is the default. */
export function oneOf<const Options extends readonly [string | boolean, ...(string | boolean)[]]>(
  options: Options,
  question: Question,
): Declaration<Options[number]> {
  return {
    ...question,
    default: options[0],
    variants: options,
    schema: { enum: [...options] },
    read: (name, place) => {
      // `unset: null` is what a person writes for the option called null.
      const value = place.value === null && options.includes('null') ? 'null' : place.value;
      const found = options.find((option) => option === value);
      return found === undefined ? place.fail(unexpected('value', value, options, `for ${name}`)) : found;
    },
  };
}

/** An open set: its default, and examples of other answers. */
type Open<Value> = Question & { readonly default: Value; readonly examples: readonly Value[] };

/** A member of a body, as `_embedded` of HAL, `hydra:member` of JSON-LD and `@odata.count` of OData are. */
const MEMBER = '[_@$]?[A-Za-z][A-Za-z0-9_.:@$-]*';

/** A JSON pointer that may name the model, as in `/{models}`: `pointerFor` makes one of it. */
export function modelPointer(open: Open<string>): Declaration<string> {
  const named = `(${MEMBER})?(${MODEL_FORMS.map((form) => form.replace(/[{}]/g, '\\$&')).join('|')})[A-Za-z0-9_-]*`;
  return matching(
    open,
    new RegExp(`^(/(${MEMBER}|${named})){0,8}$`),
    `a JSON pointer such as /data, or "", or one with the name of the model: ${MODEL_FORMS.join(', ')}`,
  );
}

const HEADER = 'header [A-Za-z][A-Za-z0-9_-]{0,63}';

/** The name of a query parameter of lists, in any dialect: `limit`, `$limit`, `page[size]`. */
export const PARAMETER = '[A-Za-z$_][A-Za-z0-9_.$-]{0,47}(\\[[A-Za-z0-9_.$-]{1,14}\\])?';

const PLACES = {
  header: [HEADER, 'header NAME'],
  query: [HEADER.replace('header', 'query'), 'query NAME'],
  body: [`(/${MEMBER}){1,8}`, 'a JSON pointer such as /total'],
  field: [`field ${PARAMETER}`, 'field PARAMETER'],
  fields: [`fields ${PARAMETER}`, 'fields PARAMETER'],
} as const;

/** A word, or a place: `header X-Total-Count`, `query version`, or `/total`. The type of the default has all forms. */
export function wordOrPlace<Value extends string>(
  words: readonly Value[],
  places: readonly (keyof typeof PLACES)[],
  open: Open<Value>,
): Declaration<Value> {
  const form = [...words, ...places.map((place) => PLACES[place][0])].join('|');
  const expected = [...words, ...places.map((place) => PLACES[place][1])].join(', ');
  return matching(open, new RegExp(`^(${form})$`), expected) as Declaration<Value>;
}

/** The status of a success. */
export function success(open: Open<number>): Declaration<number> {
  return whole(open, 200, 299);
}

/** Statuses about the client, or about how often it asks. They say nothing about the content of a request. */
const OF_WHO_ASKS = [401, 403, 429];

/** The status of a refusal. */
export function refusal(open: Open<number>): Declaration<number> {
  const status = whole(open, 400, 499);
  return {
    ...status,
    schema: { ...status.schema, not: { enum: OF_WHO_ASKS } },
    read: (of, place, catalogue) => {
      const value = status.read(of, place, catalogue);
      if (!OF_WHO_ASKS.includes(value)) return value;
      return place.fail(
        `${of} can't be ${value} because 401, 403, and 429 describe the client, not the request. Use another status from 400 to 499.`,
      );
    },
  };
}

/** The status of what does not exist: 501 is an answer to such a method; no other 5xx ever says no. */
export function absence(open: Open<number>): Declaration<number> {
  const status = refusal(open);
  return {
    ...status,
    schema: { anyOf: [status.schema, { const: 501 }] },
    read: (of, place, catalogue) => (place.value === 501 ? 501 : status.read(of, place, catalogue)),
  };
}

/** A number, or the word none. */
export function limit(open: Open<'none' | number>): Declaration<'none' | number> {
  const number = whole({ ...open, default: 1, examples: [] }, 1, 1_000_000, 'none, or ');
  return {
    ...question(open),
    schema: { anyOf: [{ const: 'none' }, number.schema] },
    read: (of, place, catalogue) => (place.value === 'none' ? 'none' : number.read(of, place, catalogue)),
  };
}

function matching(open: Open<string>, form: RegExp, expected: string): Declaration<string> {
  return {
    ...question(open),
    schema: { type: 'string', pattern: form.source },
    read: (of, place) =>
      typeof place.value === 'string' && form.test(place.value) ? place.value : refuse(of, place, expected),
  };
}

function whole(open: Open<number>, least: number, most: number, or = ''): Declaration<number> {
  return {
    ...question(open),
    schema: { type: 'integer', minimum: least, maximum: most },
    read: (of, place) => {
      const { value } = place;
      if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most)
        return value;
      return refuse(of, place, `${or}a whole number from ${least} to ${most}`);
    },
  };
}

/** Returns the part of a declaration that all kinds of open sets share. */
export function question<Value>({ examples, ...open }: Open<Value>) {
  return { ...open, variants: [open.default, ...examples] };
}

export function refuse(of: string, place: Place, expected: string): never {
  return place.fail(`${of} must be ${expected}, but is ${JSON.stringify(place.value)}.`);
}
