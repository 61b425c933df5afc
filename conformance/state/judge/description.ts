import { withArticle } from '../../../spec/article.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { show } from '../../assert/wire-check.ts';
import type { KnownRecord } from '../known-record.ts';
import type { LoggedWrite } from '../write-log.ts';

/** What a report says of a contradiction. */
export type Description = { readonly message: string; readonly expected: string; readonly found: string };

/** Of records that the run did not make, a report shows no values. */
export function valuesOf(
  { isOwn }: KnownRecord,
  expected: Value,
  shown: Value | undefined,
): Pick<Description, 'expected' | 'found'> {
  return isOwn
    ? { expected: show(expected), found: show(shown ?? null) }
    : { expected: 'the value from the earlier response', found: 'another value' };
}

/** The same without values. */
export function hidden({ message }: Description): Description {
  return { message, expected: 'the record as before', found: 'another record, or none' };
}

/** A write, such as `an update of brand/7`. */
export function tell({ id, model, operation }: LoggedWrite): string {
  return `${withArticle(operation)} of ${model.name}${id === undefined ? '' : `/${id}`}`;
}
