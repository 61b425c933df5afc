import { isOfKit, type Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import { linkedModel } from '../../spec/references.ts';
import { FORMULAS } from '../engine/formulas.ts';
import type { FixtureRecord, Fixtures } from '../seed/seed-record.ts';
import { agree } from './agree.ts';
import { drawSubject } from './people.ts';
import { createCalendar, planRecords, type Wanted } from './plan.ts';
import { createRandom } from './random.ts';
import { DAY, drawValue, type GeneratedDraft, isSet, sorted, timeOf } from './values.ts';

export type { Wanted } from './plan.ts';

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
    /** The number of records per model. */
    counts,
    /** Whether a record is generated. */
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
        const { from, line, to } = own ?? (parent && linesOf(parent.parent, parent.index)[0]) ?? NO_LINES;
        return line ? Array.from({ length: to - from }, (_, place) => idAt(line, from + place)) : [];
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

const NO_LINES = { from: 0, to: 0, line: undefined };

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
