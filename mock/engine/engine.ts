import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Draft, pointerTo, type Violation } from '../operations/violation.ts';
import type { Query, Store } from '../store/store.ts';
import { createComputing } from './computed.ts';
import { findFamilies } from './line-relations.ts';
import { createLines } from './lines.ts';
import { createWriting, idOf, unset } from './mutations.ts';
import { refuseMoves } from './transitions.ts';

export type OneRecord = { readonly kind: 'record'; readonly record: RecordValues };
export type ManyRecords = {
  readonly kind: 'records';
  readonly records: readonly RecordValues[];
  /** The number of all records that were asked for, whatever the page. */
  readonly total: number;
};
export type UnknownRecord = { readonly kind: 'unknown-record' };
/** Nothing was stored. */
export type Invalid = { readonly kind: 'invalid'; readonly violations: readonly Violation[] };

/** Which records of a list are wanted. */
export type ListQuery = Omit<Query, 'liveOnly'>;

/**
 * The five operations of section 4 over records in canonical values. A draft with violations stores nothing; it is
 * taken so that one answer names all that is wrong, and so that an unknown record is known as such first.
 */
export type Engine = {
  retrieve(model: Model, id: number): Promise<OneRecord | UnknownRecord>;
  list(model: Model, query: ListQuery): Promise<ManyRecords>;
  create(model: Model, draft: Draft): Promise<OneRecord | Invalid>;
  update(model: Model, id: number, draft: Draft): Promise<OneRecord | UnknownRecord | Invalid>;
  /** Gives the record as it was left. */
  delete(model: Model, id: number): Promise<OneRecord | UnknownRecord>;
};

export type EngineOptions = Contract & {
  readonly store: Store;
  readonly clock: () => Date;
};

const UNKNOWN: UnknownRecord = { kind: 'unknown-record' };

export function createEngine(options: EngineOptions): Engine {
  const { catalogue, profile, references, store } = options;
  const families = findFamilies(catalogue, references);
  const lines = createLines(families, store, profile['types.lines']);
  const computing = createComputing(catalogue, profile, options.clock);
  const writing = createWriting({ families, computing, lines, store, profile });
  return {
    retrieve: async (model, id) => {
      const record = await store.get(model.name, id);
      if (!record || (record.deleted === true && !profile['delete.readable'])) return UNKNOWN;
      return { kind: 'record', record: await lines.show(model, record) };
    },
    list: async (model, query) => {
      const { records, total } = await store.find(model.name, {
        ...query,
        liveOnly: !profile['delete.listed'],
      });
      return { kind: 'records', records: await lines.showAll(model, records), total };
    },
    create: (model, draft) => store.transaction(() => create(model, draft)),
    update: (model, id, draft) => store.transaction(() => update(model, id, draft)),
    delete: (model, id) => store.transaction(() => remove(model, id)),
  };

  async function create(model: Model, { values, violations: sent }: Draft): Promise<OneRecord | Invalid> {
    const violations = [...sent, ...(await lines.refuse(model, values))];
    if (violations.length > 0) return { kind: 'invalid', violations };
    const record = await writing.insert(model, values);
    await writing.refreshParents(model, record);
    return { kind: 'record', record: await lines.show(model, record) };
  }

  async function update(
    model: Model,
    id: number,
    { values, violations: sent }: Draft,
  ): Promise<OneRecord | UnknownRecord | Invalid> {
    const before = await live(model, id);
    if (!before) return UNKNOWN;
    const violations = [
      ...sent,
      ...(await refuseAllMoves(model, before, values)),
      ...(await lines.refuse(model, values, id)),
    ];
    if (violations.length > 0) return { kind: 'invalid', violations };
    const whole = profile['request.update'] === 'full' ? { ...unset(model), ...values } : values;
    const record = await writing.change(model, before, whole);
    await writing.refreshParents(model, before, record);
    return { kind: 'record', record: await lines.show(model, record) };
  }

  /** The moves of a record, and those of its lines that are changed with it. */
  async function refuseAllMoves(
    model: Model,
    before: RecordValues,
    values: RecordValues,
    pointer = '',
  ): Promise<Violation[]> {
    if (profile.transitions === 'any') return [];
    const violations = refuseMoves(model, before, values, profile.transitions).map((found) => ({
      ...found,
      pointer: pointer + found.pointer,
    }));
    for (const family of families.ofParent(model)) {
      const items = values[family.field.name];
      const members = Array.isArray(items) ? await lines.members(family, before) : [];
      for (const member of members) {
        const index = (items as readonly Value[]).findIndex((item) => idOf(item) === member.id);
        const item = (items as readonly Value[])[index];
        if (typeof item !== 'object') continue;
        const at = pointerTo(pointerTo(pointer, family.field.name), index);
        violations.push(...(await refuseAllMoves(family.line, member, item as RecordValues, at)));
      }
    }
    return violations;
  }

  async function remove(model: Model, id: number): Promise<OneRecord | UnknownRecord> {
    const before = await live(model, id);
    if (!before) return UNKNOWN;
    const shown = await lines.show(model, before);
    const left = await writing.erase(model, before);
    await writing.refreshParents(model, left);
    const marked = await store.get(model.name, id);
    if (marked) return { kind: 'record', record: await lines.show(model, marked) };
    const ofLines = families.ofParent(model).map(({ field }) => [field.name, shown[field.name] ?? null]);
    return { kind: 'record', record: { ...left, ...Object.fromEntries(ofLines) } };
  }

  /** A record that has not been deleted: one that has can be neither changed nor deleted again. */
  async function live(model: Model, id: number): Promise<RecordValues | undefined> {
    const record = await store.get(model.name, id);
    return record?.deleted === true ? undefined : record;
  }
}
