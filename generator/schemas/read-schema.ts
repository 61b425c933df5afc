import { schemaName } from '../../spec/binding.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Sources } from '../sources.ts';
import { lineModel } from './lines.ts';
import { titleOf } from './names.ts';
import { propertySchema, requiredList } from './property.ts';
import type { Schema, SchemaReference } from './schema.ts';

/** Refers to the schema of a record as returned. */
export function referToRecord(model: Model, sources: Sources): SchemaReference {
  return sources.components.refer('schemas', schemaName(model.name), `the model ${model.name}`, () =>
    readSchema(model, sources),
  );
}

/** A record as returned. Open to fields that are not known yet: an answer with more of them breaks no client. */
function readSchema(model: Model, sources: Sources): Schema {
  const showsNull = sources.profile['response.unset'] === 'null';
  return {
    type: 'object',
    title: titleOf(model),
    description: describeModel(model),
    // Section 4 addresses every record by its integer id, so that an id is always shown.
    ...requiredList(model.fields.filter((field) => showsNull || field.required || field.name === 'id')),
    properties: Object.fromEntries(
      model.fields.map((field) => {
        const line = lineModel(field, sources);
        const schema = propertySchema(
          field,
          {
            orNull: showsNull && !field.required && field.name !== 'id',
            line: line && referToRecord(line, sources),
          },
          sources,
        );
        return [field.name, { ...schema, ...(field.readonly ? { readOnly: true } : {}) }];
      }),
    ),
  };
}

/** What a model is, and what it is called in the interface. */
export function describeModel({ name, about }: Model): string {
  return about === undefined ? `A record of the model \`${name}\`.` : `${about} Model: \`${name}\`.`;
}
