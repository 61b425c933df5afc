/**
 * The lines of records. A line is a record that names its parent, so that no line is stored twice. The parent's field
 * has the IDs of its lines only if no link names the parent, or after the parent is marked as deleted.
 */
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { fieldOf, isDeleted } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { type Profile, profileAt } from '../../spec/profile/profile.ts';
import { linkedModel, parentLink, type References } from '../../spec/references.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { apiOf, type Layout, linksTo, type ReadableRecords, type Records } from '../store/store.ts';
import { type ChangeStamp, createComputedFields } from './computed.ts';
import { pointerTo, type Violation } from './violation.ts';

/** The lines a record has now, by id; those of a deleted record are the ones it was deleted with. */
export async function linesOf(
  { records }: RecordReader,
  { field, line, link }: LineRelation,
  parent: RecordValues,
): Promise<readonly RecordValues[]> {
  const held = parent[field.name];
  if (Array.isArray(held)) {
    const found = await Promise.all(held.map((id) => records.get(line.name, Number(id))));
    return found.flatMap((one) => (one && (isDeleted(line, parent) || !isDeleted(line, one)) ? [one] : []));
  }
  if (link === undefined) return [];
  const filters = [linksTo(link, parent.id ?? null)];
  return (await records.find(line.name, { filters, liveOnly: true })).records;
}

/** The record with its lines, in full or as ids (`types.lines`); the same object where its model has none. */
export async function withLines(
  reader: RecordReader,
  model: Model,
  record: RecordValues,
): Promise<RecordValues> {
  const relations = reader.relations.ofParent(model);
  if (relations.length === 0) return record;
  const shown: Record<string, Value> = { ...record };
  for (const relation of relations) {
    const found = await linesOf(reader, relation, record);
    // Only ids may lead in a circle; the document refuses models whose lines in full would have no end.
    shown[relation.field.name] =
      profileAt(reader.profile, relation.field.key)['types.lines'] === 'ids'
        ? found.map((line) => line.id ?? null)
        : await Promise.all(found.map((line) => withLines(reader, relation.line, line)));
  }
  return shown;
}

/** The lines that are given for a relation: none for null, undefined when the field is not named. */
export function givenLines(values: RecordValues, { field }: LineRelation): readonly Value[] | undefined {
  const items = values[field.name];
  if (items === undefined) return undefined;
  return Array.isArray(items) ? items : [];
}

/** Returns the ID in a line, which is an ID or an object with values; null if it has none. */
export function idOf(item: Value): Value {
  return typeof item === 'object' && item !== null ? ((item as RecordValues).id ?? null) : item;
}

/** Stores a record with the values that follow from others, also in its lines. */
export async function settle(
  work: UnitOfWork,
  model: Model,
  record: RecordValues,
  before?: RecordValues,
): Promise<RecordValues> {
  const { computed, relations } = work;
  const lines: RecordValues[] = [];
  for (const relation of relations.ofParent(model))
    for (const line of await linesOf(work, relation, record)) {
      const settled = computed.compute(relation.line, { record: line, before: line, parent: record });
      const isSame = settled === line;
      lines.push(
        isSame ? line : await put(work, relation.line, computed.touch(relation.line, settled, work)),
      );
    }
  const parent = await parentOf(work, model, record);
  return put(work, model, computed.compute(model, { record, before, parent, lines }));
}

/** Lets the totals of the parents follow: of those the record has, and those it had before. */
export async function refreshParents(
  work: UnitOfWork,
  model: Model,
  ...states: readonly RecordValues[]
): Promise<void> {
  for (const { parent: parentModel, link } of work.relations.ofLine(model))
    for (const id of new Set(states.map((record) => record[link]))) {
      const parent = await work.records.get(parentModel.name, Number(id));
      if (!parent || isDeleted(parentModel, parent)) continue;
      const settled = await settle(work, parentModel, parent, parent);
      if (settled === parent) continue;
      const touched = work.computed.touch(parentModel, settled, work);
      await refreshParents(work, parentModel, await put(work, parentModel, touched));
    }
}

async function parentOf({ records, relations }: RecordReader, model: Model, record: RecordValues) {
  for (const { parent, link } of relations.ofLine(model)) {
    const found = await records.get(parent.name, Number(record[link]));
    if (found && !isDeleted(parent, found)) return found;
  }
  return undefined;
}

async function put({ records }: UnitOfWork, model: Model, record: RecordValues): Promise<RecordValues> {
  await records.put(model.name, record);
  return record;
}

/**
 * Returns the links that must lead to a record, by model: all, those of required fields, or none
 * (`request.references`).
 */
function findCheckedLinks({ catalogue, profile, references }: Contract) {
  return new Map(
    [...catalogue.models.values()].map((model) => [
      model.name,
      model.fields.flatMap((field) => {
        const to = linkedModel(references, field);
        const checks = profileAt(profile, field.key)['request.references'];
        const isChecked = checks === 'reject' || (checks !== 'accept' && field.required);
        if (to === undefined || field.readonly || !isChecked) return [];
        return { field: field.name, to, target: catalogue.models.get(to) };
      }),
    ]),
  );
}

/** Returns a violation for each link to a missing or deleted record, also in lines (`types.lines: ids`). */
export async function refuseUnknownIds(
  reader: RecordReader,
  model: Model,
  values: RecordValues,
  ownId?: number,
  pointer = '',
): Promise<Violation[]> {
  const violations: Violation[] = [];
  const check = async (to: string, target: Model | undefined, id: Value, at: string, isLine = false) => {
    if (id === null || reader.isElsewhere?.(to)) return;
    const found = await reader.records.get(to, Number(id));
    const isOwn = isLine && target === model && id === ownId;
    if (found && !isOwn && !(target && isDeleted(target, found))) return;
    violations.push({ pointer: at, message: `must be the ID of an existing ${to} record, but is ${id}` });
  };
  for (const { field, target, to } of reader.links.get(model.name) ?? []) {
    const { [field]: value = null } = values;
    if (value === null) continue;
    const at = pointerTo(pointer, field);
    if (!Array.isArray(value)) await check(to, target, value, at);
    else for (const [index, id] of value.entries()) await check(to, target, id, pointerTo(at, index));
  }
  for (const relation of reader.relations.ofParent(model)) {
    const { field, line, link = '' } = relation;
    for (const [index, item] of (givenLines(values, relation) ?? []).entries()) {
      const at = pointerTo(pointerTo(pointer, field.name), index);
      if (typeof item !== 'object') await check(line.name, line, item, at, true);
      else if (item !== null) {
        // The service sets the link of a line to its parent.
        const { [link]: _, ...others } = item as RecordValues;
        violations.push(...(await refuseUnknownIds(reader, line, others, undefined, at)));
      }
    }
  }
  return violations;
}

export type LineRelation = {
  readonly parent: Model;
  /** The field of the parent that shows the lines. */
  readonly field: Field;
  readonly line: Model;
  /** The field of a line with the ID of its parent. If absent, the parent has the IDs of its lines. */
  readonly link?: string;
};

export type LineRelations = ReturnType<typeof findLineRelations>;

/** Reads the relations of lines to their parents from the array types of section 2 and the inferred links. */
export function findLineRelations(catalogue: Catalogue, references: References) {
  const relations = [...catalogue.models.values()].flatMap((parent) => {
    const fields = parent.fields.filter((field) => field.lines !== undefined);
    return fields.flatMap((field): LineRelation[] => {
      const line = catalogue.models.get(field.lines ?? '');
      if (!line) return [];
      const found = parentLink(line, parent, references);
      // Two fields with lines of one model can't share one link, because it does not name the field.
      const alone = fields.filter((other) => other.lines === field.lines).length === 1;
      return [{ parent, field, line, ...(found?.type === 'int' && alone ? { link: found.name } : {}) }];
    });
  });
  const linked = relations.flatMap(({ link, ...rest }) => (link === undefined ? [] : { ...rest, link }));
  const byParent = Map.groupBy(relations, (relation) => relation.parent.name);
  const byLine = Map.groupBy(linked, (relation) => relation.line.name);
  const isLine = (model: Model) => relations.some(({ line }) => line === model);
  return {
    /** Returns the lines of a model. */
    ofParent: (model: Model): readonly LineRelation[] => byParent.get(model.name) ?? [],
    /** Returns the models whose records depend on a record of this model. A link must name the parent. */
    ofLine: (model: Model) => byLine.get(model.name) ?? [],
    /** Whether records of a model can be lines, with a link to their parent or without one. */
    isLine,
    /** Whether a model has neither lines nor a parent, so that no other record changes its values. */
    isAlone: (model: Model) => !isLine(model) && !byParent.has(model.name),
    /** Returns the facts about the models that a store uses. */
    layout: (): Layout => ({
      links: new Map([...byLine].map(([model, of]) => [model, of.map((relation) => relation.link)])),
      types: new Map(
        [...catalogue.models.values()].map(({ fields, name }) => [
          name,
          new Map(fields.map((field) => [field.name, field.type])),
        ]),
      ),
      mark: [...catalogue.models.values()].map((model) => fieldOf(model, 'deleted')?.name).find(Boolean),
      api: apiOf(catalogue),
    }),
  };
}

/** The rules of a contract for records, shared by all sessions. */
export type RecordSemantics = {
  readonly profile: Profile;
  readonly relations: LineRelations;
  readonly computed: ReturnType<typeof createComputedFields>;
  readonly links: ReturnType<typeof findCheckedLinks>;
  /** Whether a service has the records of a model now (option `forward`). Absent if it never has. */
  readonly isElsewhere?: ((model: string) => boolean) | undefined;
};

/** Records as they can be read. */
export type RecordReader = RecordSemantics & { readonly records: ReadableRecords };

/** One transaction: the records it changes, whose it is, and its time, which does not pass while it runs. */
export type UnitOfWork = RecordSemantics & ChangeStamp & { readonly records: Records };

export function readSemantics(contract: Contract): RecordSemantics {
  const { catalogue, profile, references } = contract;
  return {
    profile,
    relations: findLineRelations(catalogue, references),
    computed: createComputedFields(profile),
    links: findCheckedLinks(contract),
  };
}
