/** Returns the value at a JSON pointer (RFC 6901), or undefined. "" is the whole value. */
export function valueAt(value: unknown, pointer: string): unknown {
  if (pointer === '') return value;
  let found = value;
  for (const segment of splitPointer(pointer)) {
    if (found === null || typeof found !== 'object' || !Object.hasOwn(found, segment)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[segment];
  }
  return found;
}

/** The member names on the way to a place. */
export function splitPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The pointer of a place given by its member names. */
export function joinPointer(segments: readonly (string | number)[]): string {
  return segments
    .map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
