import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { pointerTo, type Violation } from '../operations/violation.ts';
import type { Store } from '../store/store.ts';
import type { Families, Family } from './line-relations.ts';

/**
 * The lines of records. They are records of their own that name their parent, so that what a parent shows is found
 * and not stored twice. Only where no link says whose a line is, and once a parent is marked as deleted, its own
 * field holds the ids of its lines.
 */
export type Lines = {
  /** The lines a record has now, by id; those of a deleted record are the ones it was deleted with. */
  members(family: Family, record: RecordValues): Promise<readonly RecordValues[]>;
  /** The record with its lines, in full or as ids; the same object where its model has none. */
  show(model: Model, record: RecordValues): Promise<RecordValues>;
  showAll(model: Model, records: readonly RecordValues[]): Promise<readonly RecordValues[]>;
  /** Lines given as ids (`types.lines: ids`) that are no records, or the record itself. */
  refuse(model: Model, values: RecordValues, ownId?: number, pointer?: string): Promise<Violation[]>;
};

export function createLines(families: Families, store: Store, form: Profile['types.lines']): Lines {
  return {
    members,
    show,
    showAll: async (model, records) =>
      families.ofParent(model).length === 0
        ? records
        : Promise.all(records.map((record) => show(model, record))),
    refuse,
  };

  async function members(family: Family, record: RecordValues): Promise<readonly RecordValues[]> {
    const held = record[family.field.name];
    if (Array.isArray(held)) {
      const found = await Promise.all(held.map((id) => store.get(family.line.name, Number(id))));
      return found.flatMap((line) =>
        line && (record.deleted === true || line.deleted !== true) ? [line] : [],
      );
    }
    if (family.link === undefined) return [];
    const where = [[family.link, record.id ?? null]] as const;
    return (await store.find(family.line.name, { where, liveOnly: true })).records;
  }

  async function show(model: Model, record: RecordValues): Promise<RecordValues> {
    const held = families.ofParent(model);
    if (held.length === 0) return record;
    const shown: Record<string, Value> = { ...record };
    for (const family of held) {
      const found = await members(family, record);
      // Only ids may lead in a circle; the document refuses models whose lines in full would have no end.
      shown[family.field.name] =
        form === 'ids'
          ? found.map((line) => line.id ?? null)
          : await Promise.all(found.map((line) => show(family.line, line)));
    }
    return shown;
  }

  async function refuse(
    model: Model,
    values: RecordValues,
    ownId?: number,
    pointer = '',
  ): Promise<Violation[]> {
    const violations: Violation[] = [];
    for (const { field, line } of families.ofParent(model)) {
      const items = values[field.name];
      for (const [index, item] of (Array.isArray(items) ? items : []).entries()) {
        const at = pointerTo(pointerTo(pointer, field.name), index);
        if (typeof item === 'object') {
          violations.push(...(await refuse(line, item as RecordValues, undefined, at)));
        } else {
          const found = await store.get(line.name, Number(item));
          if (!found || found.deleted === true || (line === model && found.id === ownId))
            violations.push({ pointer: at, message: `is ${item}; expected the id of a ${line.name} record` });
        }
      }
    }
    return violations;
  }
}
