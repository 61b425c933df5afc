import { schemaName } from '../../spec/binding.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Sources } from '../sources.ts';
import { lineModel } from './lines.ts';
import { propertySchema, requiredList, sourceType } from './property.ts';
import type { Schema } from './schema.ts';

/** A record as returned. Open to fields that are not known yet: an answer with more of them breaks no client. */
export function readSchema(model: Model, sources: Sources): Schema {
  const showsNull = sources.profile['response.unset'] === 'null';
  return {
    type: 'object',
    description: `A record of the model \`${model.name}\`, as returned.`,
    ...requiredList(model.fields.filter((field) => field.required)),
    properties: Object.fromEntries(
      model.fields.map((field) => {
        const line = lineModel(field, sources);
        const schema = propertySchema(
          field,
          {
            // Section 4 addresses every record by its integer id, so that an id is never unset.
            nullable: showsNull && !field.required && field.name !== 'id',
            ...(line ? { lineSchema: schemaName(line.name) } : {}),
          },
          sources,
        );
        return [
          field.name,
          { ...schema, ...(field.readonly ? { readOnly: true } : {}), 'x-type': sourceType(field) },
        ];
      }),
    ),
  };
}
