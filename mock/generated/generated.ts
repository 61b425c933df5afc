import type { FixtureRecord, Fixtures } from '../../fixtures/fixtures.ts';
import { isOfKit, type Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isDeleted, isIdField } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { onceFor } from '../../spec/once-for.ts';
import { linkedModel } from '../../spec/references.ts';
import { FORMULAS } from '../engine/computed.ts';
import { findLineRelations } from '../engine/relations.ts';
import { numberRecords } from '../seed/seed.ts';
import { agree } from './agree.ts';
import { drawSubject } from './people.ts';
import { createRandom } from './random.ts';
import { DAY, drawValue, type GeneratedDraft, isSet, sorted, timeOf } from './values.ts';

/** Maximum number of generated records that are kept for others that refer to them. */
const MOST_KEPT = 20_000;

/** A generated record in the form of a fixture, and its model. */
export type Generated = { readonly model: Model; readonly record: FixtureRecord };

export type GeneratorOptions = {
  readonly seed: number;
  /** They don't change, and generated ones can refer to them. */
  readonly existing: Fixtures;
  /** The origin of image URLs, such as `http://127.0.0.1:4010`. */
  readonly origin: string;
};

/**
 * Prepares records in addition to existing ones. Texts are in Spanish for the models of the kit, and neutral for others.
 * A record follows from the seed, its model, and its position, so that no record needs to stay in memory: one that
 * others refer to is generated again. A link leads to a random record from before, and missing records that others need
 * are generated, too. Throws UsageError for an unknown model or too many records.
 */
export function prepareGeneration(wanted: Wanted, contract: Contract, options: GeneratorOptions) {
  const { existing, origin, seed } = options;
  const { catalogue, references } = contract;
  const plan = planRecords(wanted, contract, existing);
  const { counts, linesOf, modelOf, parentOf, sizeOf, there } = plan;
  const end = Date.parse(catalogue.version) || Date.UTC(2025, 9, 22);
  const { countBefore, timeAt } = createCalendar(plan, end);
  let ids: ReadonlyMap<string, readonly number[]> = new Map();
  const kept = new Map<string, Record<string, unknown>>();
  const planOf = onceFor(planFor);
  const { models } = catalogue;
  const existingIds = (name: string): readonly number[] => {
    const model = models.get(name);
    return model ? there(model).liveIds : [];
  };
  const idAt = (model: Model, index: number) =>
    ids.get(model.name)?.[index] ?? there(model).lastId + 1 + index;
  const indexOf = (model: Model, id: number) => {
    const index = ids.get(model.name)?.indexOf(id) ?? id - there(model).lastId - 1;
    return index < sizeOf(model.name) ? index : -1;
  };
  return {
    counts,
    has: (name: string, id: number) => {
      const model = models.get(name);
      return model !== undefined && indexOf(model, id) >= 0;
    },
    /** Generates the records, with their lines. By default, the IDs of a model follow the existing ones. */
    *units(given = ids): Generator<Generated[]> {
      ids = given;
      for (const model of [...counts.keys()].map(modelOf).filter((one) => !parentOf(one, 0)))
        for (let index = 0; index < sizeOf(model.name); index++) yield unitAt(model, index);
    },
  };

  function unitAt(model: Model, index: number): Generated[] {
    const unit = [{ model, record: recordAt(model, index) }];
    for (const { line, from, to } of linesOf(model, index))
      for (let at = from; at < to; at++) unit.push({ model: line, record: recordAt(line, at) });
    return unit;
  }

  function recordAt(model: Model, index: number): Record<string, unknown> {
    const key = `${model.name} ${index}`;
    const known = kept.get(key);
    if (known) return known;
    const record = createRecord(model, index);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(key, record);
    return record;
  }

  function createRecord(model: Model, index: number): Record<string, unknown> {
    const { blank, common, drawn } = planOf(model);
    const draft = createDraft(model, index, { ...blank, id: idAt(model, index) });
    const { created, random, record } = draft;
    const user = random.int(1, 4);
    const changedBy = random.int(1, 12);
    const isChanged = changedBy <= 4;
    const time = timeAt(model, index);
    const room = Math.max(0, Math.min(30 * DAY, end - 2 * DAY - time));
    const since = timeOf(created);
    const updated = isChanged ? timeOf(whenOpen(time + random.next() * room)) : since;
    for (const field of common) {
      const isUpdate = isChanged && /^updated/.test(field.role ?? '');
      record[field.name] = valueOfRole(field, isUpdate ? updated : since, isUpdate ? changedBy : user);
    }
    const parent = parentOf(model, index);
    for (const field of drawn) {
      const link = field.name === parent?.link ? idAt(parent.parent, parent.index) : linkFor(field, draft);
      const value = link === undefined ? drawValue(field, draft, references) : link;
      if (value !== null && value !== undefined) record[field.name] = value;
    }
    agree(draft);
    return record;
  }

  function createDraft(model: Model, index: number, record: Record<string, unknown>): GeneratedDraft {
    const [id, time] = [Number(record.id), timeAt(model, index)];
    const random = createRandom(seed, model.name, index);
    let subject: ReturnType<GeneratedDraft['subject']> | undefined;
    return {
      ...{ record, id, model, index, random, origin },
      created: whenOpen(time),
      subject: () => {
        subject ??= drawSubject(random, model, id);
        return subject;
      },
      find: (name, to) => {
        const target = models.get(name);
        const at = target ? indexOf(target, Number(to)) : -1;
        if (target && at >= 0) return recordAt(target, at);
        return (target && there(target).records.get(Number(to))) ?? {};
      },
      draw: (name) => {
        const target = models.get(name);
        if (!target || sizeOf(name) === 0) return random.pick(existingIds(name));
        const before = countBefore(target, time);
        const size = target === model ? Math.min(before, index) : before;
        return size === 0 ? undefined : idAt(target, random.int(0, size - 1));
      },
      total: (name) => sizeOf(name) || existingIds(name).length,
      choose: (name, number) => {
        const at = number % Math.max(1, sizeOf(name) || existingIds(name).length);
        return sizeOf(name) > 0 ? idAt(modelOf(name), at) : existingIds(name)[at];
      },
      lines: (name) => {
        const own = linesOf(model, index).find(({ line }) => line.name === name);
        const parent = parentOf(model, index);
        const lines = own ?? (parent && linesOf(parent.parent, parent.index)[0]);
        if (!lines) return [];
        return Array.from({ length: lines.to - lines.from }, (_, place) =>
          idAt(lines.line, lines.from + place),
        );
      },
    };
  }

  /** Returns the ID of a random record from before, or several; null if it stays unset; undefined for no link. */
  function linkFor(field: Field, draft: GeneratedDraft): number | number[] | undefined | null {
    const to = linkedModel(references, field);
    if (to === undefined) return undefined;
    if (!isSet(field, draft, true)) return null;
    const drawn = draft.draw(to);
    // The first record of a model can only refer to itself. A model that the catalogue leaves out has any ID.
    if (field.type !== 'manyToMany')
      return drawn ?? (field.required ? (models.has(to) ? draft.id : 1) : null);
    return sorted([drawn, draft.draw(to)].filter((id) => id !== undefined));
  }
}

/** Sorts the fields of a model by where their values come from. */
function planFor(model: Model) {
  const isComputed = ({ key, readonly }: Field) => readonly && isOfKit(model) && Object.hasOwn(FORMULAS, key);
  return {
    // All fields from the start, because V8 is several times slower with objects that get many one by one.
    blank: Object.fromEntries(model.fields.map(({ name }): [string, unknown] => [name, undefined])),
    common: model.fields.filter(({ role }) => role !== undefined),
    drawn: model.fields.filter(
      (field) => !isIdField(field) && !field.role && field.lines === undefined && !isComputed(field),
    ),
  };
}

/** Moves a time into the opening hours of its day, from 7 to 22 o'clock. The order of times stays. */
function whenOpen(time: number): number {
  const night = Math.floor(time / DAY) * DAY;
  return Math.floor((night + DAY * (7 / 24) + (time - night) * (15 / 24)) / 1000) * 1000;
}

/** Returns the value of a common field with a role, in the form of its type; undefined for any other, and for the mark. */
function valueOfRole({ role, type }: Field, time: string, user: number): unknown {
  if (role === 'created' || role === 'updated')
    return { datetime: time, date: time.slice(0, 10) }[type as string];
  if (role === 'createdBy' || role === 'updatedBy')
    return { int: user, string: `user ${user}` }[type as string];
  return undefined;
}

const MOST = 1_000_000;

/** Maximum number of records of a model that only others need. */
const FEW = 20;

/** Mean number of lines per record. */
const LINES = 2.5;

export type Wanted = number | Readonly<Record<string, number>>;

/** Returns how many records of which models to generate. Throws UsageError for an unknown model or too many records. */
function planRecords(wanted: Wanted, { catalogue, references }: Contract, fixtures: Fixtures) {
  const { models } = catalogue;
  const relations = findLineRelations(catalogue, references);
  const there = readExisting(fixtures);
  const counts = new Map<string, number>();
  const sizeOf = (name: string) => counts.get(name) ?? 0;
  countRecords();
  return { counts: counts as ReadonlyMap<string, number>, sizeOf, there, modelOf, linesOf, parentOf };

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
  return onceFor((model: Model) => {
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
  });
}

/** Returns when records are created. Each model has the same time span, so that links lead to earlier records. */
function createCalendar({ linesOf, parentOf, sizeOf }: ReturnType<typeof planRecords>, end: number) {
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
