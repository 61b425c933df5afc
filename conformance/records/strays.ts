import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Id, isId } from '../api/places.ts';
import { Failure, Skip } from '../assert/failure.ts';
import { show } from '../assert/wire-check.ts';
import { holds } from './known-records.ts';
import { type Made, nameOf } from './made.ts';
import type { RecordsCore } from './records-core.ts';

/** Minimum milliseconds of a pause in which the run does not write to the model. */
const CALM = 100;
/** How often a write is sent again, each time after a pause, to prove that it stores the record. */
const PROOFS = 3;

/**
 * Throws Failure when there is a new record with some of the values that no accepted create made. Takes charge of it
 * where it is surely the run's. Where it is not, another client might send the same values. Then `again` sends the
 * write again: the record is the run's only if each write stores one and no pause does. Throws Skip where that is not
 * so, or where values are pinned.
 */
export async function assertNoStray(
  { check, known, ledger, policy }: RecordsCore,
  model: Model,
  made: Made[],
  refused: readonly RecordValues[],
  again?: () => Promise<unknown>,
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
    if (!isOwn) continue;
    made.push(stray);
    ledger.add(stray);
    own ??= shown;
  }
  const first = own ?? strays[0];
  if (!first) return;
  if (!own) {
    const isPinned = model.fields.some((field) => policy.pinned(field) !== undefined);
    const isProven = !isPinned && again !== undefined && (await isStoredByEach(again));
    if (!isProven) {
      if (isPinned) made.push({ model, id: undefined });
      throw new Skip(
        `${nameOf(model, String(first.id))} appeared during a rejected create, but it might be another client's record because ${isPinned ? 'its values are pinned (--pin)' : 'other clients create such records'}`,
      );
    }
  }
  throw new Failure(
    'the target stored a record from a rejected create',
    'nothing stored',
    `record ${show(first.id)} with the values sent`,
  );

  /** Whether each of some writes stores a record, and no pause before one does. */
  async function isStoredByEach(write: () => Promise<unknown>): Promise<boolean> {
    const found: Made[] = strays
      .filter(({ id }) => isId(id))
      .map((shown) => ({ model, id: shown.id as Id, shown }));
    for (let proof = 0; proof < PROOFS; proof++) {
      // At random, since another run of the suite might take the same steps.
      await delay(CALM * (1 + 3 * Math.random()));
      if ((await known.findStrays(model, refused)).length > 0) return false;
      await write();
      const more = await known.findStrays(model, refused);
      if (more.length === 0) return false;
      for (const shown of more) if (isId(shown.id)) found.push({ model, id: shown.id, shown });
    }
    made.push(...found);
    for (const one of found) ledger.add(one);
    return true;
  }
}
