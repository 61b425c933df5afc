import { MIMEType } from 'node:util';

/** The type in a Content-Type header without its parameters, in small letters; undefined when it can't be read. */
export function mediaTypeOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  // The usual ones as they stand: parsing is dear.
  if (header === 'application/json' || header === 'application/x-www-form-urlencoded') return header;
  try {
    return new MIMEType(header).essence;
  } catch {
    return undefined;
  }
}
