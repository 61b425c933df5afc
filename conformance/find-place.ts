import { joinPointer } from '../spec/json-pointer.ts';

const DEEPEST = 4;

/** The JSON pointer of the first place, outermost first, where a value is as wanted; a few levels deep. */
export function findPlace(json: unknown, wanted: (value: unknown) => boolean): string | undefined {
  let level: [pointer: string, value: unknown][] = [['', json]];
  for (let depth = 0; depth < DEEPEST; depth++) {
    const found = level.find(([, value]) => wanted(value));
    if (found) return found[0];
    level = level.flatMap(([pointer, value]) =>
      isObject(value)
        ? Object.entries(value).map(([name, part]): [string, unknown] => [
            pointer + joinPointer([name]),
            part,
          ])
        : [],
    );
  }
  return undefined;
}

/** A JSON object, and no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Looks like a record: an object with an integer id. */
export function isRecordLike(value: unknown): boolean {
  return isObject(value) && Number.isInteger(value.id);
}
