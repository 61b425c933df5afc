import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { onceFor } from '../../spec/once-for.ts';
import { findLineRelations } from '../engine/links.ts';
import { type FixtureRecord, type Fixtures, numberRecords } from '../seed/seed-record.ts';
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
  const there = readExisting(fixtures, catalogue);
  const counts = new Map<string, number>();
  const sizeOf = (name: string) => counts.get(name) ?? 0;
  countRecords();
  return {
    counts: counts as ReadonlyMap<string, number>,
    sizeOf,
    there,
    modelOf,
    linksOf,
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
      for (const { field, to } of linksOf(model))
        if (field.required)
          need(lineOf(modelOf(to))?.parent.name ?? to, Math.max(2, Math.min(FEW, count)), to);
    }
  }

  function need(name: string, count: number, to = name): void {
    if (sizeOf(to) + sizeOf(name) + there.liveIds(to).length === 0) counts.set(name, count);
  }

  /** Returns the links of a model to others that are described. */
  function linksOf({ fields }: Model): { readonly field: Field; readonly to: string }[] {
    return fields.flatMap((field) => {
      const reference = references.get(field.key);
      return reference && 'to' in reference && models.has(reference.to) ? [{ field, to: reference.to }] : [];
    });
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

/** Returns the existing records, by the IDs that they have or get. */
function readExisting(fixtures: Fixtures, { models }: Catalogue) {
  const byId = onceFor((records: readonly FixtureRecord[]) => {
    const ids = numberRecords(records);
    const numbered = records.map((record, index) => [Number(ids[index]), record] as const);
    return new Map(numbered.filter(([id]) => Number.isSafeInteger(id)));
  });
  const recordsOf = (name: string) => byId(fixtures.get(name) ?? NONE);
  const liveIds = onceFor((model: Model): readonly number[] =>
    [...recordsOf(model.name)].filter(([, record]) => !isDeleted(model, record)).map(([id]) => id),
  );
  const lastIds = onceFor((model: Model) => ({
    id: [...recordsOf(model.name).keys()].reduce((most, id) => Math.max(most, id), 0),
  }));
  return {
    find: (model: Model, id: number) => recordsOf(model.name).get(id),
    /** Returns the IDs that a link can have. */
    liveIds: (name: string) => liveIds(models.get(name) as Model),
    /** Returns the highest ID; 0 for none. */
    lastId: (model: Model) => lastIds(model).id,
  };
}

const NONE: readonly FixtureRecord[] = [];

/** Returns when records are created, in milliseconds since 1970. Records come after those that they refer to. */
export function createCalendar({ linesOf, linksOf, modelOf, parentOf, sizeOf }: Plan, end: number) {
  const depths = new Map<Model, number>();
  const spanOf = onceFor((model: Model) => {
    const first = end - (140 - Math.min(100, depthOf(model))) * DAY;
    return { first, step: (end - DAY - first) / Math.max(1, sizeOf(model.name)) };
  });
  return { end, timeAt, countBefore };

  /** Returns how many models a model refers to in a row. Its records begin as many days after the first ones. */
  function depthOf(model: Model, path: readonly Model[] = []): number {
    const known = depths.get(model);
    if (known !== undefined || path.includes(model)) return known ?? 0;
    const lines = linesOf(model, 0).map(({ line }) => line);
    const targets = [model, ...lines].flatMap(linksOf).map(({ to }) => modelOf(to));
    const others = targets.filter((to) => sizeOf(to.name) > 0 && to !== model);
    const first = others.map((to) => parentOf(to, 0)?.parent ?? to).filter((to) => to !== model);
    const depth = 1 + Math.max(0, ...first.map((to) => depthOf(to, [...path, model])));
    // In a cycle, the last link of the model that is visited first does not count.
    depths.set(model, depth);
    return depth;
  }

  /** Returns the time of a record. The first two records of a model are from the same time. */
  function timeAt(model: Model, index: number): number {
    const parent = parentOf(model, index);
    if (parent) return timeAt(parent.parent, parent.index);
    const { first, step } = spanOf(model);
    return first + Math.max(0, index - 1) * step;
  }

  /** Returns the number of records of a model until a time: at least two, so that links can differ. */
  function countBefore(model: Model, time: number): number {
    const parent = parentOf(model, 0)?.parent;
    const { first, step } = spanOf(model);
    const before = parent
      ? (linesOf(parent, countBefore(parent, time)).find(({ line }) => line === model)?.from ?? 0)
      : 2 + Math.floor((time - first) / step);
    return Math.min(sizeOf(model.name), Math.max(2, before));
  }
}
