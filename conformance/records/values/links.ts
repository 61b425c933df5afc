import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { References } from '../../../spec/references.ts';

/** An id that hardly any record has, and that fits into 32 bits. */
export const NOWHERE = 1_987_654_321;

/** The fields of a model that hold the id of one other record, and may be written. */
export function linkFields(model: Model, references: References): Field[] {
  return model.fields.filter((field) => {
    const reference = references.get(field.key);
    return reference !== undefined && 'to' in reference && field.type === 'int' && !field.readonly;
  });
}
