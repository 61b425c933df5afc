import type { Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { ReadableRecords } from '../store/store.ts';
import type { LineRelations } from './line-relations.ts';
import { pointerTo, type Violation } from './violation.ts';

/** A field that links to records of a model. */
type Link = { readonly field: string; readonly to: string; readonly target: Model | undefined };

/** The links that must lead to a record, by model: all, those of required fields, or none (`request.references`). */
export type CheckedLinks = ReadonlyMap<string, readonly Link[]>;

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

type Reader = {
  readonly links: CheckedLinks;
  readonly records: ReadableRecords;
  readonly relations: LineRelations;
};

const NONE: Violation[] = [];

/** The links of values, and of lines among them, that lead to no record or to a deleted one. */
export async function refuseDanglingLinks(
  reader: Reader,
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
