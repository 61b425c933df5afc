import type { Catalogue, Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { References } from '../../../spec/references.ts';
import { isText } from '../../../spec/types/types.ts';

/** An id that hardly any record has, and that fits into 32 bits. */
export const NOWHERE = 1_987_654_321;

/** The fields of a model that hold the id of one other record, and may be written. */
export function linkFields(model: Model, references: References): Field[] {
  return model.fields.filter((field) => {
    const reference = references.get(field.key);
    return reference !== undefined && 'to' in reference && field.type === 'int' && !field.readonly;
  });
}

/**
 * The model whose first link shows whether any has to lead to a record, which is made most easily: what links to what
 * is inferred, and a service may look up one id and not another.
 */
export function telltaleOfLinks(catalogue: Catalogue, references: References): Model | undefined {
  const free = [...catalogue.models.values()].filter((model) => {
    const links = linkFields(model, references);
    return links.length > 0 && !links.some(({ required }) => required) && model.fields.some(isText);
  });
  return free.sort((one, other) => one.fields.length - other.fields.length)[0];
}
