import { schemaName } from '../../spec/binding.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import type { Sources } from '../sources.ts';
import { namedChoices } from './choices.ts';
import { lineModel } from './lines.ts';
import { lineName } from './names.ts';
import { readSchema } from './read-schema.ts';
import type { Schema } from './schema.ts';
import { createSchema, lineSchema, updateSchema } from './write-schemas.ts';

type Named = readonly [name: string, schema: Schema];

/**
 * The schemas of every model: as returned, as sent to create and update, its lines as sent inside it, and its
 * value lists. Three schemas a model rather than one with readOnly: OpenAPI 3.1 leaves open what a required
 * readOnly property means in a request. Throws UsageError when two things have one name.
 */
export function modelSchemas(sources: Sources): Map<string, Schema> {
  const schemas = new Map<string, Schema>();
  // An fkModel list is one for all fields; it is emitted once.
  const shared = new Set<string>();
  for (const model of sources.catalogue.models.values()) {
    for (const [name, schema] of schemasOf(model, sources)) add(name, schema, model);
    for (const field of model.fields) {
      const choices = namedChoices(field, sources);
      if (!choices || shared.has(choices.name)) continue;
      if (field.type === 'fkModel') shared.add(choices.name);
      add(choices.name, choices.schema, model);
    }
  }
  return schemas;

  function add(name: string, schema: Schema, model: Model): void {
    if (schemas.has(name))
      throw new UsageError(
        `model ${model.name} needs a schema ${name}, which another model has already; expected names that differ`,
      );
    schemas.set(name, schema);
  }
}

function schemasOf(model: Model, sources: Sources): Named[] {
  const name = schemaName(model.name);
  const lines = new Map(
    model.fields
      .filter((field) => !field.readonly)
      .flatMap((field) => lineModel(field, sources) ?? [])
      .map((line) => [lineName(line.name, model.name), lineSchema(line, model, sources)]),
  );
  return [
    [name, readSchema(model, sources)],
    ...(model.operations.includes('create')
      ? [[`${name}Create`, createSchema(model, sources)] satisfies Named]
      : []),
    ...(model.operations.includes('update')
      ? [[`${name}Update`, updateSchema(model, sources)] satisfies Named]
      : []),
    ...lines,
  ];
}
