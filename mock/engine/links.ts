import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { fieldOf, isDeleted } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { profileAt } from '../../spec/profile/profile.ts';
import { parentLink, type References } from '../../spec/references.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { apiOf } from '../store/api.ts';
import type { Layout, ReadableRecords } from '../store/store.ts';
import { pointerTo, type Violation } from './violation.ts';

/** The links that must lead to a record, by model: all, those of required fields, or none (`request.references`). */
export type CheckedLinks = ReadonlyMap<
  string,
  readonly { readonly field: string; readonly to: string; readonly target: Model | undefined }[]
>;

export function findCheckedLinks({ catalogue, profile, references }: Contract): CheckedLinks {
  return new Map(
    [...catalogue.models.values()].map((model) => [
      model.name,
      model.fields.flatMap(({ key, name, readonly, required }) => {
        const reference = references.get(key);
        const checks = profileAt(profile, key)['request.references'];
        if (checks === 'accept') return [];
        const isChecked = !readonly && (required || checks === 'reject');
        if (!isChecked || reference === undefined || 'outside' in reference) return [];
        return { field: name, to: reference.to, target: catalogue.models.get(reference.to) };
      }),
    ]),
  );
}

const NONE: Violation[] = [];

/** Returns a violation for each link, also in lines, to a missing or deleted record. */
export async function refuseDanglingLinks(
  reader: {
    readonly links: CheckedLinks;
    readonly records: ReadableRecords;
    readonly relations: LineRelations;
    /** Whether a service has the records of a model. */
    readonly isElsewhere?: ((model: string) => boolean) | undefined;
  },
  model: Model,
  values: RecordValues,
  pointer = '',
): Promise<Violation[]> {
  if (reader.links.size === 0) return NONE;
  const violations: Violation[] = [];
  for (const { field, target, to } of reader.links.get(model.name) ?? []) {
    if (reader.isElsewhere?.(to)) continue;
    const value = values[field];
    const ids = Array.isArray(value) ? [...value.entries()] : [[undefined, value] as const];
    for (const [index, id] of ids) {
      if (id === null || id === undefined) continue;
      const found = await reader.records.get(to, Number(id));
      if (found && !(target && isDeleted(target, found))) continue;
      const at = pointerTo(pointer, field);
      const message = `must be the ID of an existing ${to} record, but is ${id}`;
      violations.push({ pointer: index === undefined ? at : pointerTo(at, index), message });
    }
  }
  for (const { field, line, link } of reader.relations.ofParent(model)) {
    const items = values[field.name];
    for (const [index, item] of (Array.isArray(items) ? items : []).entries()) {
      if (typeof item !== 'object' || item === null) continue;
      // The service sets the link of a line to its parent.
      const { [link ?? '']: _, ...others } = item as RecordValues;
      const at = pointerTo(pointerTo(pointer, field.name), index);
      violations.push(...(await refuseDanglingLinks(reader, line, others, at)));
    }
  }
  return violations;
}

/** A model with lines, and the model of the lines. */
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
  return {
    /** Returns the lines of a model. */
    ofParent: (model: Model): readonly LineRelation[] => byParent.get(model.name) ?? [],
    /** Returns the models whose records depend on a record of this model. A link must name the parent. */
    ofLine: (model: Model) => byLine.get(model.name) ?? [],
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
