import { type Answer, isAccepted } from './answer.ts';
import { placesIn } from './places.ts';

/**
 * The query that asks for the next part of a list, as the answer gives it: in the header Link (RFC 8288), as an address in
 * the body, or as a cursor beside a name that says where it goes. It is sent to the same list, whatever the address says.
 */
export function nextPart(answer: Answer): Record<string, string> | undefined {
  if (!isAccepted(answer)) return undefined;
  const linked = /<([^>]*)>\s*;[^,<]*\brel="?next\b/i.exec(answer.headers.link ?? '')?.[1];
  if (linked !== undefined) return queryOf(linked);
  for (const { pointer, value: found } of placesIn(answer.json)) {
    const value = typeof found === 'number' ? String(found) : found;
    if (typeof value !== 'string' || value === '' || !/next|cursor/i.test(pointer)) continue;
    const name = pointer.slice(pointer.lastIndexOf('/') + 1);
    const query = queryOf(value);
    if (query) return query;
    if (/^(next|cursor)/i.test(name)) return { [parameterFor(name)]: value };
  }
  return undefined;
}

/** Undefined for what is no address with a query. */
function queryOf(address: string): Record<string, string> | undefined {
  if (!/^(https?:\/\/|\/|\?)/.test(address)) return undefined;
  const params = URL.parse(address, 'http://list')?.searchParams;
  return params && params.size > 0 ? Object.fromEntries(params) : undefined;
}

/** `next_cursor` goes into `cursor`, `nextPageToken` into `pageToken`. */
function parameterFor(name: string): string {
  const rest = name.replace(/^next_?/i, '');
  return rest === '' ? 'cursor' : rest.charAt(0).toLowerCase() + rest.slice(1);
}
