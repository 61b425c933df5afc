import type { Model } from '../spec/catalogue.ts';
import type { RecordValues } from '../spec/record-codec.ts';
import type { CaseContext } from './context.ts';
import { Blocked } from './rule.ts';
import { agrees, UNREAD } from './values.ts';

/** The records of the target that the run knows of, so that one which nobody was told of stands out. */
export type KnownRecords = {
  /** Takes note of what the model's list holds; once, before its first case. */
  remember(context: CaseContext): Promise<void>;
  /** A create made the record, and said so. */
  note(model: Model, id: unknown): void;
  /** The new records that hold some of the values; none where the list can't be seen whole. */
  findStrays(context: CaseContext, sought: readonly RecordValues[]): Promise<readonly RecordValues[]>;
};

export function createKnownRecords(): KnownRecords {
  const known = new Map<Model, { readonly ids: Set<unknown>; readonly complete: boolean }>();
  const refused = new Map<Model, Blocked>();
  return {
    async remember(context) {
      if (known.has(context.model)) return;
      const before = refused.get(context.model);
      if (before) throw before;
      const listing = await context.listing().catch((error) => {
        // What can't be held apart is not held apart the next time either.
        if (error instanceof Blocked) refused.set(context.model, error);
        throw error;
      });
      const ids = new Set<unknown>(listing?.records.map(({ id }) => id));
      known.set(context.model, { ids, complete: listing?.complete ?? false });
    },
    note: (model, id) => void known.get(model)?.ids.add(id),
    async findStrays(context, sought) {
      const { ids, complete } = known.get(context.model) ?? {};
      const telling = sought.filter((values) => Object.keys(values).length > 0);
      if (!ids || !complete || telling.length === 0) return [];
      const fresh = (await context.listed()).filter(({ id }) => !ids.has(id));
      for (const { id } of fresh) ids.add(id);
      return fresh.filter((record) => {
        const found = context.check.read(context.model, record);
        return telling.some((values) => holds(context.model, found, values));
      });
    },
  };
}

/** Whether a record has all the values that are named, as far as they can be read; both are canonical. */
function holds(model: Model, found: RecordValues, values: RecordValues): boolean {
  const telling = model.fields.filter(({ name }) => Object.hasOwn(values, name) && found[name] !== UNREAD);
  return (
    telling.length > 0 &&
    telling.every((field) => agrees(field, values[field.name] ?? null, found[field.name]))
  );
}
