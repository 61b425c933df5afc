import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Store } from '../store/store.ts';
import type { Computing } from './computed.ts';
import type { Families, Family } from './line-relations.ts';
import type { Lines } from './lines.ts';

/** Changes of records together with what hangs on them: their lines, and the values that follow from others. */
export type Writing = {
  /** Adds a record and the lines given with it. */
  insert(model: Model, values: RecordValues): Promise<RecordValues>;
  /**
   * Changes the values that are given. Of the lines that are given, one with the id of a line of the record is a
   * change of it, and every other a new one; lines that are not given are erased.
   */
  change(model: Model, before: RecordValues, values: RecordValues): Promise<RecordValues>;
  /** Removes a record and its lines, or marks them as deleted (`delete.effect`). Gives the record as it was left. */
  erase(model: Model, record: RecordValues): Promise<RecordValues>;
  /** Lets the totals of the parents follow: of those the record has, and those it had before. */
  refreshParents(model: Model, ...states: readonly RecordValues[]): Promise<void>;
};

export type WritingOptions = {
  readonly families: Families;
  readonly computing: Computing;
  readonly lines: Lines;
  readonly store: Store;
  readonly profile: Profile;
};

export function createWriting({ families, computing, lines, store, profile }: WritingOptions): Writing {
  return { insert, change, erase, refreshParents };

  async function insert(model: Model, values: RecordValues): Promise<RecordValues> {
    const held = families.ofParent(model);
    const id = await freeId(model, held);
    const record = computing.complete(model, id, withoutLines(model, values));
    if (held.length === 0) return put(model, await compute(model, record));
    await store.put(model.name, record);
    let filled = record;
    for (const family of held) filled = await place(family, filled, itemsOf(values, family) ?? []);
    return settle(model, filled);
  }

  /** Passes over ids that lines name already: the new record would have lines that it was not given. */
  async function freeId(model: Model, held: readonly Family[]): Promise<number> {
    const id = await store.nextId(model.name);
    for (const { line, link } of held) {
      if (link === undefined) continue;
      const { total } = await store.find(line.name, { where: [[link, id]], liveOnly: true, size: 0 });
      if (total > 0) return freeId(model, held);
    }
    return id;
  }

  async function change(model: Model, before: RecordValues, values: RecordValues): Promise<RecordValues> {
    let record = computing.touch(model, { ...before, ...withoutLines(model, values) });
    const held = families.ofParent(model);
    if (held.length === 0) return put(model, await compute(model, record, before));
    for (const family of held) {
      const items = itemsOf(values, family);
      if (items === undefined) continue;
      const members = await lines.members(family, before);
      const named = new Set(items.map(idOf));
      for (const line of members) if (!named.has(line.id ?? null)) await erase(family.line, line);
      record = await place(family, record, items, members);
    }
    return settle(model, record, before);
  }

  async function erase(model: Model, record: RecordValues): Promise<RecordValues> {
    const held = await Promise.all(
      families.ofParent(model).map(async (family) => [family, await lines.members(family, record)] as const),
    );
    // A model without the field has no mark (section 2.0). What is removed is left as it was.
    const marks = 'deleted' in record && profile['delete.effect'] === 'mark';
    const left = marks ? { ...computing.touch(model, record), deleted: true } : record;
    if (marks) {
      const ids = held.map(([family, members]) => [
        family.field.name,
        members.map((line) => line.id ?? null),
      ]);
      await store.put(model.name, { ...left, ...Object.fromEntries(ids) });
    } else {
      await store.remove(model.name, Number(record.id));
    }
    for (const [family, members] of held) for (const line of members) await erase(family.line, line);
    return left;
  }

  /** Works out again what follows from others: the record's own values and those of its lines. */
  async function settle(model: Model, record: RecordValues, before?: RecordValues): Promise<RecordValues> {
    const members: RecordValues[] = [];
    for (const family of families.ofParent(model))
      for (const line of await lines.members(family, record)) {
        const computed = computing.compute(family.line, { record: line, before: line, parent: record });
        members.push(
          computed === line ? line : await put(family.line, computing.touch(family.line, computed)),
        );
      }
    const parent = await parentOf(model, record);
    return put(model, computing.compute(model, { record, before, parent, lines: members }));
  }

  async function refreshParents(model: Model, ...states: readonly RecordValues[]): Promise<void> {
    for (const { parent: parentModel, link } of families.ofLine(model))
      for (const id of new Set(states.map((record) => record[link]))) {
        const parent = await store.get(parentModel.name, Number(id));
        if (!parent || parent.deleted === true) continue;
        const settled = await settle(parentModel, parent, parent);
        if (settled === parent) continue;
        await refreshParents(parentModel, await put(parentModel, computing.touch(parentModel, settled)));
      }
  }

  /**
   * Gives a record its lines: from values with the id of a line it has, that line changed; from other values new
   * ones; those named by id alone from wherever they were.
   */
  async function place(
    family: Family,
    record: RecordValues,
    items: readonly Value[],
    members: readonly RecordValues[] = [],
  ): Promise<RecordValues> {
    const { line, link, field } = family;
    const held = new Map(members.map((member) => [member.id ?? null, member]));
    const own = link === undefined ? {} : { [link]: record.id ?? null };
    const ids: Value[] = [];
    for (const item of items) {
      if (typeof item !== 'object' || item === null) {
        const moved = await store.get(line.name, Number(item));
        if (moved && link !== undefined) {
          await store.put(line.name, computing.touch(line, { ...moved, ...own }));
          await refreshParents(line, moved);
        }
        ids.push(item);
      } else {
        const { id = null, ...values } = item as RecordValues;
        const known = held.get(id);
        // One line can't be two: a second item with its id is a new line.
        held.delete(id);
        const given = { ...values, ...own };
        const placed = known ? await change(line, known, wholeOf(line, given)) : await insert(line, given);
        ids.push(placed.id ?? null);
      }
    }
    return link === undefined ? { ...record, [field.name]: ids } : record;
  }

  /** An update in full unsets what is not sent, in a line too (`request.update`). */
  function wholeOf(model: Model, values: RecordValues): RecordValues {
    return profile['request.update'] === 'full' ? { ...unset(model), ...values } : values;
  }

  async function compute(model: Model, record: RecordValues, before?: RecordValues): Promise<RecordValues> {
    return computing.compute(model, { record, before, parent: await parentOf(model, record) });
  }

  async function parentOf(model: Model, record: RecordValues): Promise<RecordValues | undefined> {
    for (const { parent, link } of families.ofLine(model)) {
      const found = await store.get(parent.name, Number(record[link]));
      if (found && found.deleted !== true) return found;
    }
    return undefined;
  }

  async function put(model: Model, record: RecordValues): Promise<RecordValues> {
    await store.put(model.name, record);
    return record;
  }

  function withoutLines(model: Model, values: RecordValues): RecordValues {
    const names = families.ofParent(model).map((family) => family.field.name);
    if (names.length === 0) return values;
    return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
  }
}

/** Every writable field without a value: what a full update starts from. */
export function unset(model: Model): Record<string, Value> {
  return Object.fromEntries(
    model.fields.filter((field) => !field.readonly).map((field) => [field.name, null]),
  );
}

/** The id that a line is given by, alone or beside its values; null when it has none. */
export function idOf(item: Value): Value {
  return typeof item === 'object' && item !== null ? ((item as RecordValues).id ?? null) : item;
}

/** The lines that are given for a family: none for null, undefined when the field is not named. */
function itemsOf(values: RecordValues, family: Family): readonly Value[] | undefined {
  const items = values[family.field.name];
  if (items === undefined) return undefined;
  return Array.isArray(items) ? items : [];
}
