import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isId } from '../api/places.ts';
import { Failure, Skip } from '../assert/failure.ts';
import { show } from '../assert/wire-check.ts';
import { holds } from './known-records.ts';
import { type Made, nameOf } from './made.ts';
import type { RecordsCore } from './records-core.ts';

/** Milliseconds in which the run sends nothing. */
const CALM = 100;

/**
 * Throws Failure when there is a new record with some of the values that no accepted create made. Takes charge of it
 * where it is surely the run's. Where it is not, another client may send the same: throws Skip where values are pinned,
 * or where more such records come up while the run sends nothing.
 */
export async function assertNoStray(
  { check, known, ledger, policy }: RecordsCore,
  model: Model,
  made: Made[],
  refused: readonly RecordValues[],
): Promise<void> {
  const strays = await known.findStrays(model, refused);
  let own: RecordValues | undefined;
  for (const shown of strays) {
    const stray: Made = { model, id: isId(shown.id) ? shown.id : undefined, shown };
    if (stray.id === undefined) continue;
    const found = check().read(model, shown);
    // Without a value of this run's own it may be another run's, and nobody's to remove.
    const isOwn = refused.some(
      (values) => policy.identifies(model, values, found) && holds(model, found, values),
    );
    made.push(isOwn ? stray : { model, id: undefined });
    if (!isOwn) continue;
    ledger.add(stray);
    own ??= shown;
  }
  const first = own ?? strays[0];
  if (!first) return;
  if (!own) {
    const isPinned = model.fields.some((field) => policy.pinned(field) !== undefined);
    if (!isPinned) await delay(CALM);
    if (isPinned || (await known.findStrays(model, refused)).length > 0)
      throw new Skip(
        `${nameOf(model, String(first.id))} appeared during a rejected create, but it might be another client's record because ${isPinned ? 'its values are pinned (--pin)' : 'other clients create such records'}`,
      );
  }
  throw new Failure(
    'the target stored a record from a rejected create',
    'nothing stored',
    `record ${show(first.id)} with the values sent`,
  );
}
