import type { Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { onceFor } from '../../spec/once-for.ts';
import { linkedModel } from '../../spec/references.ts';
import { findLineRelations } from '../engine/relations.ts';
import { type Fixtures, numberRecords } from '../seed/seed-record.ts';
import { DAY } from './values.ts';

/** Maximum number of generated records per model. */
const MOST = 1_000_000;

/** Maximum number of records of a model that only others need. */
const FEW = 20;

/** Mean number of lines per record. */
const LINES = 2.5;

/** The number of records per model. A plain number is for each model. */
export type Wanted = number | Readonly<Record<string, number>>;

export type Plan = ReturnType<typeof planRecords>;

/** Returns how many records of which models to generate. Throws UsageError for an unknown model or too many records. */
export function planRecords(wanted: Wanted, { catalogue, references }: Contract, fixtures: Fixtures) {
  const { models } = catalogue;
  const relations = findLineRelations(catalogue, references);
  const there = readExisting(fixtures);
  const counts = new Map<string, number>();
  const sizeOf = (name: string) => counts.get(name) ?? 0;
  countRecords();
  return {
    counts: counts as ReadonlyMap<string, number>,
    sizeOf,
    there,
    modelOf,
    linesOf,
    parentOf,
  };

  function modelOf(name: string): Model {
    const model = models.get(name);
    if (model) return model;
    throw new UsageError(unexpected('model', name, [...models.keys()], 'in --records'));
  }

  function countRecords(): void {
    const parents = [...models.values()].filter((model) => !lineOf(model));
    const each = parents.map(({ name }) => [name, Number(wanted)] as const);
    for (const [name, count] of typeof wanted === 'number' ? each : Object.entries(wanted)) {
      counts.set(modelOf(name).name, count);
      if (count > MOST)
        throw new UsageError(
          `--records asks for ${count} ${typeof wanted === 'number' ? 'records of each model' : `${name} records`}, but the limit is ${MOST} records per model. Pass a lower number.`,
        );
    }
    // Also visits the models that this adds.
    for (const [name, count] of counts) {
      if (count === 0) continue;
      const model = modelOf(name);
      for (const { line } of relations.ofParent(model))
        if (lineOf(line)?.parent === model && !counts.has(line.name))
          counts.set(line.name, Math.round(count * LINES));
      const parent = lineOf(model)?.parent.name;
      if (parent !== undefined) need(parent, Math.ceil(count / LINES));
      for (const field of model.fields.filter(({ required }) => required)) {
        const to = linkedModel(references, field);
        if (to === undefined || !models.has(to)) continue;
        need(lineOf(modelOf(to))?.parent.name ?? to, Math.max(2, Math.min(FEW, count)), to);
      }
    }
  }

  function need(name: string, count: number, to = name): void {
    if (sizeOf(to) + sizeOf(name) + there(modelOf(to)).liveIds.length === 0) counts.set(name, count);
  }

  /** Returns the parent of a model of lines, if that is no line itself. */
  function lineOf(model: Model) {
    const [relation] = relations.ofLine(model);
    return relation && relations.ofLine(relation.parent).length === 0 ? relation : undefined;
  }

  /** Returns the parent and its position for a line that is generated with its parent. Other lines have existing ones. */
  function parentOf(model: Model, index: number) {
    const relation = lineOf(model);
    const size = relation ? sizeOf(relation.parent.name) : 0;
    if (!relation || size === 0) return undefined;
    return { ...relation, index: Math.floor(((index + 1) * size - 1) / sizeOf(model.name)) };
  }

  /** Returns the models and positions of the lines of a record: from the first one to before the last one. */
  function linesOf(model: Model, index: number) {
    const own = relations.ofParent(model).filter(({ line }) => lineOf(line)?.parent === model);
    return own.map(({ line }) => {
      const first = (at: number) => Math.floor((at * sizeOf(line.name)) / sizeOf(model.name));
      return { line, from: first(index), to: first(index + 1) };
    });
  }
}

/** Returns the existing records of each model, by the IDs that they have or get. */
function readExisting(fixtures: Fixtures) {
  const read = (model: Model) => {
    const all = fixtures.get(model.name) ?? [];
    const ids = numberRecords(all);
    const numbered = all.map((record, index) => [Number(ids[index]), record] as const);
    const records = new Map(numbered.filter(([id]) => Number.isSafeInteger(id)));
    return {
      records,
      /** The IDs that a link can have. */
      liveIds: [...records].filter(([, record]) => !isDeleted(model, record)).map(([id]) => id),
      /** The highest ID; 0 for none. */
      lastId: [...records.keys()].reduce((most, id) => Math.max(most, id), 0),
    };
  };
  return onceFor(read);
}

/**
 * Returns when records are created, in milliseconds since 1970. Each model has its records in the same time, so that a
 * record finds earlier ones of each model. The first two are from its beginning, so that links can differ.
 */
export function createCalendar({ linesOf, parentOf, sizeOf }: Plan, end: number) {
  const [first, length] = [end - 140 * DAY, 139 * DAY];
  return { timeAt, countBefore };

  function timeAt(model: Model, index: number): number {
    const parent = parentOf(model, index);
    if (parent) return timeAt(parent.parent, parent.index);
    return first + (Math.max(0, index - 1) / sizeOf(model.name)) * length;
  }

  /** Returns the number of records of a model until a time. */
  function countBefore(model: Model, time: number): number {
    const parent = parentOf(model, 0)?.parent;
    const lines = parent && linesOf(parent, countBefore(parent, time)).find(({ line }) => line === model);
    const before = lines?.from ?? 2 + Math.floor(((time - first) / length) * sizeOf(model.name));
    return Math.min(sizeOf(model.name), Math.max(2, before));
  }
}
