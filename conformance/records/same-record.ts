import { isDeepStrictEqual } from 'node:util';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** Whether a record in wire form says that it is deleted, in either form of a truth value. */
export function isMarked({ deleted }: RecordValues): boolean {
  return deleted === true || deleted === 1;
}

/**
 * Whether a record is the one that was seen before, and not another one that was given its id: it was created at the
 * same time and holds the same writable values, as far as it was shown. Both in wire form. Lines are left out: some
 * services make them anew.
 */
export function isSameRecord(model: Model, before: RecordValues | undefined, now: RecordValues): boolean {
  if (before === undefined) return false;
  const telling = model.fields.filter(
    ({ common, lines, name, readonly }) =>
      (!readonly && lines === undefined) || (common && name === 'created'),
  );
  // A line may show less where it stands in its parent.
  const known = telling.filter(({ name }) => Object.hasOwn(before, name));
  return known.length > 0 && known.every(({ name }) => isDeepStrictEqual(before[name], now[name] ?? null));
}
