import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { parentLink } from '../../spec/references.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { findRecordIn } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import { isId, isObject } from '../api/places.ts';
import { isStanding, type Made } from './identity.ts';

/** Whether records of a model show lines that have IDs and can be deleted. */
export function holdsLines(catalogue: Catalogue, model: Model): boolean {
  return model.fields.some((field) => lineModel(catalogue, field));
}

/** Returns the lines that a record in wire form shows, with or as IDs, if they can be deleted. */
export function linesIn(catalogue: Catalogue, model: Model, record: RecordValues = {}): Made[] {
  return model.fields.flatMap((field) => {
    const line = lineModel(catalogue, field);
    if (!line) return [];
    return [record[field.name] ?? []].flat().flatMap((one): Made[] => {
      if (isId(one)) return [{ model: line, id: one }];
      return isObject(one) && isId(one.id) ? [{ model: line, id: one.id, shown: one }] : [];
    });
  });
}

function lineModel({ models }: Catalogue, { lines = '', readonly }: Field): Model | undefined {
  const line = readonly ? undefined : models.get(lines);
  return line?.operations.includes('delete') ? line : undefined;
}

/**
 * Returns the lines that a record of the run shows now, in wire form. An ID is no proof, so a line that is shown as its ID
 * is included only if a retrieve of it links to the record.
 */
export async function readLines(
  { catalogue, references }: Pick<Contract, 'catalogue' | 'references'>,
  api: Api,
  parent: Made,
  record: RecordValues,
): Promise<Made[]> {
  const found: Made[] = [];
  for (const line of linesIn(catalogue, parent.model, record)) {
    const own = line.shown ? line : await proveLine(line);
    if (own) found.push(own);
  }
  return found;

  async function proveLine({ id, model }: Made): Promise<Made | undefined> {
    const link = parentLink(model, parent.model, references);
    if (!link || !model.operations.includes('retrieve')) return undefined;
    const shown = findRecordIn(model, await api.retrieve(model.name, id));
    const value = shown?.[link.name];
    const to = isObject(value) ? value.id : value;
    return shown && String(to) === String(parent.id) ? { model, id, shown } : undefined;
  }
}

/** Whether a record in wire form is a line of a record that the run created and did not delete. */
export function isOwnLine(
  { catalogue, references }: Pick<Contract, 'catalogue' | 'references'>,
  find: (model: Model, id: unknown) => Made | undefined,
  model: Model,
  record: RecordValues,
): boolean {
  return [...catalogue.models.values()].some((parent) => {
    if (!parent.fields.some(({ lines }) => lines === model.name)) return false;
    const link = parentLink(model, parent, references);
    return link !== undefined && isStanding(find(parent, record[link.name]));
  });
}
