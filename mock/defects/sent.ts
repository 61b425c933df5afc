import type { Contract } from '../../spec/contract.ts';
import { parseForm } from '../../spec/wire/form.ts';
import { type Call, textOf, type Wire } from './on-wire.ts';

/** The fields in the body of a request, in wire form; none when it can't be read. */
export function sentIn({ request }: Call, { profile }: Contract): Wire {
  try {
    const text = textOf(request);
    const value: unknown = profile['request.encoding'] === 'json' ? JSON.parse(text) : parseForm(text);
    return value !== null && typeof value === 'object' ? (value as Wire) : {};
  } catch {
    return {};
  }
}
