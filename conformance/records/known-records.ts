import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Listing } from '../api/listing.ts';
import { Blocked } from '../assert/failure.ts';
import { holds, identify, isMarked, isReplaced, type Made } from '../book/identity.ts';
import { writableFields } from './values/values.ts';

/** The records of the target that the run knows of, so that one which nobody was told of stands out. */
export type KnownRecords = {
  /** Takes note of what the model's list holds; once, before its first case. */
  remember(model: Model): Promise<void>;
  /** A create made the record, and said so. */
  note(model: Model, id: unknown): void;
  /** Whether a record had the id when the model was remembered: it is not the run's to change. */
  wasThere(model: Model, id: unknown): boolean;
  /** Whether all that was there before is known. */
  isWhole(model: Model): boolean;
  /** Whether the list can be seen whole, shows the record with this id, and nothing but what the run made. */
  holdsOnlyOwn(model: Model, id: unknown): Promise<boolean>;
  /** Whether the list may hold records that nobody was told of. */
  mayHoldStrays(model: Model): Promise<boolean>;
  /** The new records that hold some of the values; none where the list can't be seen whole. */
  findStrays(model: Model, sought: readonly RecordValues[]): Promise<readonly RecordValues[]>;
};

export type KnownRecordsOptions = {
  /** The list as it is now. */
  list(model: Model): Promise<Listing | undefined>;
  /** The ids that were seen already, and whether those are all; undefined where the list was not looked at. */
  seenBefore?(model: Model): Promise<Pick<Listing, 'records' | 'complete'> | undefined>;
  /** The record that the run made under the id last, if it is deleted. */
  findDeleted(model: Model, id: unknown): Made | undefined;
  /** Whether no other client sends these values; canonical, as is the record that shows them. */
  identifies(model: Model, values: RecordValues, found: RecordValues): boolean;
  /** Whether a record in wire form is a line of a record that the run made. */
  isOwnLine(model: Model, record: RecordValues): boolean;
  /** The record in canonical form. */
  read(model: Model, wire: RecordValues): RecordValues;
};

type Known = {
  readonly ids: Set<string>;
  /** The strays that had the id of a deleted record, by it, as they were found. */
  readonly heirs: Map<string, RecordValues>;
  /** The ids at first, as texts: the form they are shown in may be wrong. */
  readonly before: ReadonlySet<string>;
  readonly complete: boolean;
};

export function createKnownRecords(options: KnownRecordsOptions): KnownRecords {
  const { findDeleted, identifies, isOwnLine, list, read, seenBefore } = options;
  const known = new Map<Model, Known>();
  const refused = new Map<Model, Blocked>();
  return {
    async remember(model) {
      if (known.has(model)) return;
      const reason = refused.get(model);
      if (reason) throw reason;
      const listing = await look(model).catch((error) => {
        // What can't be held apart is not held apart the next time either.
        if (error instanceof Blocked) refused.set(model, error);
        throw error;
      });
      const idsOf = (records: readonly RecordValues[] = []) => new Set(records.map(({ id }) => String(id)));
      // Lines come with their parents, which may have been made before anybody asked for lines.
      const before = idsOf(listing?.records.filter((record) => !isOwnLine(model, record)));
      const complete = listing?.complete ?? false;
      known.set(model, { ids: idsOf(listing?.records), heirs: new Map(), before, complete });
    },
    note(model, id) {
      known.get(model)?.ids.add(String(id));
      known.get(model)?.heirs.delete(String(id));
    },
    wasThere: (model, id) => known.get(model)?.before.has(String(id)) ?? false,
    isWhole: (model) => known.get(model)?.complete ?? false,
    async holdsOnlyOwn(model, made) {
      const { ids, before } = known.get(model) ?? {};
      // Where others had records at first, nothing is shown by looking again.
      if (before && before.size > 0) return false;
      const listing = await list(model);
      return (
        listing?.complete === true &&
        // A list that leaves one out may leave out those of others.
        listing.records.some(({ id }) => String(id) === String(made)) &&
        listing.records.every(
          (one) => ids?.has(String(one.id)) && !before?.has(String(one.id)) && !mayBeHeir(model, one),
        )
      );
    },
    async mayHoldStrays(model) {
      const { ids, complete } = known.get(model) ?? {};
      return (
        !ids ||
        !complete ||
        (await listed(model)).some(
          (one) => !isMarked(model, one) && (!ids.has(String(one.id)) || mayBeHeir(model, one)),
        )
      );
    },
    async findStrays(model, sought) {
      const { complete, heirs, ids } = known.get(model) ?? {};
      // Records of a model without writable fields look the same, so each new record counts.
      const areAlike = sought.length > 0 && writableFields(model).length === 0;
      const telling = sought.filter((values) => Object.keys(values).length > 0);
      if (!ids || !heirs || !complete || (telling.length === 0 && !areAlike)) return [];
      const strays: RecordValues[] = [];
      for (const record of await listed(model)) {
        const id = String(record.id);
        const deleted = ids.has(id) ? findDeleted(model, record.id) : undefined;
        if (ids.has(id) && !deleted) continue;
        ids.add(id);
        const now = read(model, record);
        const held = telling.filter((values) => holds(model, now, values));
        if (
          (held.length === 0 && !areAlike) ||
          (deleted && !isHeir(model, heirs.get(id) ?? deleted.shown, now, held))
        )
          continue;
        if (deleted) heirs.set(id, record);
        strays.push(record);
      }
      return strays;
    },
  };

  /** Whether the id of a deleted record may name another one. A list that is late shows what was deleted as it was. */
  function mayBeHeir(model: Model, record: RecordValues): boolean {
    const deleted = findDeleted(model, record.id);
    return deleted !== undefined && identify(deleted, record) !== 'same';
  }

  /** Whether it surely does. */
  function isHeir(
    model: Model,
    before: RecordValues | undefined,
    now: RecordValues,
    held: readonly RecordValues[],
  ): boolean {
    const own = held.filter((values) => identifies(model, values, now));
    return before !== undefined && isReplaced(model, read(model, before), now, own);
  }

  async function look(model: Model) {
    return (await seenBefore?.(model)) ?? (await list(model));
  }

  async function listed(model: Model): Promise<readonly RecordValues[]> {
    return (await list(model))?.records ?? [];
  }
}
