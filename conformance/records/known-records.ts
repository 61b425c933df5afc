import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { agrees, UNREAD } from '../assert/agreement.ts';
import { Blocked } from '../plan/rule.ts';
import type { CaseContext } from './context.ts';

/** The records of the target that the run knows of, so that one which nobody was told of stands out. */
export type KnownRecords = {
  /** Takes note of what the model's list holds; once, before its first case. */
  remember(context: CaseContext): Promise<void>;
  /** A create made the record, and said so. */
  note(model: Model, id: unknown): void;
  /** Whether a record had the id when the model was remembered: it is not the run's to change. */
  wasThere(model: Model, id: unknown): boolean;
  /** Whether the list may hold records that nobody was told of. */
  mayHoldStrays(context: CaseContext): Promise<boolean>;
  /** The new records that hold some of the values; none where the list can't be seen whole. */
  findStrays(context: CaseContext, sought: readonly RecordValues[]): Promise<readonly RecordValues[]>;
};

type Known = {
  readonly ids: Set<unknown>;
  /** The ids at first, as texts: the form they are shown in may be wrong. */
  readonly before: ReadonlySet<string>;
  readonly complete: boolean;
};

export function createKnownRecords(): KnownRecords {
  const known = new Map<Model, Known>();
  const refused = new Map<Model, Blocked>();
  return {
    async remember(context) {
      if (known.has(context.model)) return;
      const reason = refused.get(context.model);
      if (reason) throw reason;
      const listing = await context.listing().catch((error) => {
        // What can't be held apart is not held apart the next time either.
        if (error instanceof Blocked) refused.set(context.model, error);
        throw error;
      });
      const ids = new Set<unknown>(listing?.records.map(({ id }) => id));
      const before = new Set([...ids].map(String));
      known.set(context.model, { ids, before, complete: listing?.complete ?? false });
    },
    note: (model, id) => void known.get(model)?.ids.add(id),
    wasThere: (model, id) => known.get(model)?.before.has(String(id)) ?? false,
    async mayHoldStrays(context) {
      const { ids, complete } = known.get(context.model) ?? {};
      return !ids || !complete || (await context.listed()).some(({ id }) => !ids.has(id));
    },
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
