import type { Answer } from '../../../api/answer.ts';
import { placesIn } from '../../../api/places.ts';

/** Headers with a number that is none of records. */
const NO_TOTAL =
  /^(content-length|age|retry-after|keep-alive|.*rate-?limit.*|.*time.*|.*version.*|etag|x-request-id|x-runtime)$/;
const SOUNDS_RIGHT = /total|count/i;

/** The whole numbers beside the records of a list, by the names of headers and by JSON pointers. */
export function numbersBeside(seen: Answer): ReadonlyMap<string, number> {
  const headers = Object.entries(seen.headers).filter(([name]) => !NO_TOTAL.test(name));
  const members = placesIn(seen.json).map(({ pointer, value }) => [pointer, value] as const);
  const numbers = [...headers, ...members].flatMap(([place, value]) =>
    /^\d{1,12}$/.test(String(value)) ? [[place, Number(value)] as const] : [],
  );
  return new Map(numbers);
}

/** Whether a place is named like the number of all records. */
export function soundsLikeTotal(place: string): boolean {
  return SOUNDS_RIGHT.test(place);
}
