import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../api/answer.ts';
import type { Call } from '../api/api.ts';
import type { Listing } from '../api/listing.ts';
import { findRecord, idInLocation } from '../api/places.ts';
import { Interrupted } from '../target/no-answer.ts';
import type { Book } from './book.ts';
import { findSent, isStanding, isTagged, type Made } from './identity.ts';
import { mayCreate } from './journal.ts';
import type { Removal } from './removal.ts';

type List = (model: Model) => Promise<Listing | undefined>;
type Using = readonly [Book, Removal, List];

/** Watches the creates of a run without a known outcome: a 5xx, or no response. */
export function watchUnanswered(
  { models }: Catalogue,
  {
    tag = '',
    tagIsUnique,
  }: { readonly tag?: string | undefined; readonly tagIsUnique?: boolean | undefined },
) {
  const intents = new Map<Model, RecordValues[]>();
  const silent = new Set<Model>();
  /** The models of which all these creates returned 501 (not implemented). */
  const notImplemented = new Set<Model>();
  return {
    /** Returns the records that creates without a response might have stored. */
    silent: (): Made[] => [...silent].map((model) => ({ model, id: undefined })),
    answered(call: Call, answer: Answer): void {
      if (!mayCreate(call)) return;
      const isNamed = isAccepted(answer) && namesRecord(models.get(call.model ?? ''), answer);
      if (isNamed || isRefused(answer)) return void (answer.again && note(call));
      const isFirst = !intents.has(models.get(call.model ?? '') as Model);
      const model = note(call);
      if (model && answer.status !== 501) notImplemented.delete(model);
      else if (model && isFirst) notImplemented.add(model);
      // A 5xx might have stored a record. A redirect, for example, is no response to a create.
      if (model && !(answer.status >= 500 && answer.status < 600)) silent.add(model);
    },
    failed(call: Call, error: unknown): void {
      const model = error instanceof Interrupted ? undefined : note(call);
      if (!model) return;
      silent.add(model);
      notImplemented.delete(model);
    },
    /** Removes the record of a create without a response, if the list shows it with the tag of the run. */
    async remove(call: Call, ...using: Using): Promise<void> {
      const model = mayCreate(call) ? models.get(call.model ?? '') : undefined;
      if (model) await removeOf(model, ...using).catch(() => {});
    },
    /** Removes all such records, and adds others to the leftovers. Never throws. */
    async finish(...using: Using): Promise<void> {
      const [book, removal] = using;
      for (const model of intents.keys()) {
        const listing = await removeOf(model, ...using).catch(() => undefined);
        const isLost = model.operations.includes('list') && !listing;
        // A model without creates and lists has no records.
        if (isLost && notImplemented.has(model)) continue;
        if (!isLost && !silent.has(model) && !listing?.complete) continue;
        if (await book.mayHoldUnexpected(model).catch(() => true)) removal.leave(model, undefined);
      }
    },
  };

  async function removeOf(model: Model, ...[book, removal, list]: Using) {
    const listing = await list(model);
    const found = (intents.get(model) ?? [])
      .flatMap((sent) => findSent({ model, sent }, listing?.records ?? []))
      .filter(({ id }) => !isStanding(book.find(model, id)) && !book.wasThere(model, id));
    for (const one of found) {
      book.note(model, one.id);
      // Without a unique tag, the record can be another run's.
      if (!tagIsUnique || !isTagged(one.shown, tag)) removal.leave(model, one.id);
      else {
        book.add(one);
        await removal.removeAll([one]);
      }
    }
    return listing;
  }

  function note(call: Call): Model | undefined {
    const model = mayCreate(call) ? models.get(call.model ?? '') : undefined;
    if (model) intents.set(model, [...(intents.get(model) ?? []), call.sent ?? {}]);
    return model;
  }
}

/** Whether a success names its record. One with an unreadable body might have stored a record. */
function namesRecord(model: Model | undefined, { headers, json }: Answer): boolean {
  return !model || idInLocation(headers) !== undefined || findRecord(model, json) !== undefined;
}
