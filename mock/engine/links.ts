import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { fieldOf, isDeleted } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
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
  const checks = profile['request.references'];
  if (checks === 'accept') return new Map();
  return new Map(
    [...catalogue.models.values()].map((model) => [
      model.name,
      model.fields.flatMap(({ key, name, readonly, required }) => {
        const reference = references.get(key);
        const isChecked = !readonly && (required || checks === 'reject');
        if (!isChecked || reference === undefined || 'outside' in reference) return [];
        return { field: name, to: reference.to, target: catalogue.models.get(reference.to) };
      }),
    ]),
  );
}

const NONE: Violation[] = [];

/** The links of values, and of lines among them, that lead to no record or to a deleted one. */
export async function refuseDanglingLinks(
  reader: {
    readonly links: CheckedLinks;
    readonly records: ReadableRecords;
    readonly relations: LineRelations;
  },
  model: Model,
  values: RecordValues,
  pointer = '',
): Promise<Violation[]> {
  if (reader.links.size === 0) return NONE;
  const violations: Violation[] = [];
  for (const { field, target, to } of reader.links.get(model.name) ?? []) {
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
      // The link of a line to its parent is the service's own.
      const { [link ?? '']: _, ...others } = item as RecordValues;
      const at = pointerTo(pointerTo(pointer, field.name), index);
      violations.push(...(await refuseDanglingLinks(reader, line, others, at)));
    }
  }
  return violations;
}

/** A model that holds lines, the model of the lines, and how a line knows its parent. */
export type LineRelation = {
  readonly parent: Model;
  /** The field of the parent that shows the lines. */
  readonly field: Field;
  readonly line: Model;
  /** The field of a line with the id of its parent; without one the parent holds the ids of its lines. */
  readonly link?: string;
};

/** Which models hold lines of which. */
export type LineRelations = {
  /** The lines a model holds. */
  ofParent(model: Model): readonly LineRelation[];
  /** The models whose records follow when a record of this model changes; only where a link says which. */
  ofLine(model: Model): readonly LinkedLines[];
  /** What a store needs to know about the models. */
  layout(): Layout;
};

type LinkedLines = LineRelation & { readonly link: string };

/** Reads the relations from the array types of section 2 and the inferred links. */
export function findLineRelations(catalogue: Catalogue, references: References): LineRelations {
  const relations = [...catalogue.models.values()].flatMap((parent) => {
    const fields = parent.fields.filter((field) => field.lines !== undefined);
    return fields.flatMap((field): LineRelation[] => {
      const line = catalogue.models.get(field.lines ?? '');
      if (!line) return [];
      const found = parentLink(line, parent, references);
      // Two fields with lines of one model can't share one link: nothing would say which field a line is in.
      const alone = fields.filter((other) => other.lines === field.lines).length === 1;
      return [{ parent, field, line, ...(found?.type === 'int' && alone ? { link: found.name } : {}) }];
    });
  });
  const linked = relations.filter((relation): relation is LinkedLines => relation.link !== undefined);
  const byParent = Map.groupBy(relations, (relation) => relation.parent.name);
  const byLine = Map.groupBy(linked, (relation) => relation.line.name);
  return {
    ofParent: (model) => byParent.get(model.name) ?? [],
    ofLine: (model) => byLine.get(model.name) ?? [],
    layout: () => ({
      links: new Map([...byLine].map(([model, of]) => [model, of.map((relation) => relation.link)])),
      mark: [...catalogue.models.values()].map((model) => fieldOf(model, 'deleted')?.name).find(Boolean),
      api: apiOf(catalogue),
    }),
  };
}
