import type { OpenAPIV3_1 } from 'openapi-types';
import { operationId, schemaName } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import type { Sources } from '../sources.ts';

type Links = Record<string, OpenAPIV3_1.LinkObject | OpenAPIV3_1.ReferenceObject>;

/** What can be asked for next of a record that was answered: the record itself, and the records it refers to. */
export function recordLinks(asked: Operation, model: Model, sources: Sources): { links?: Links } {
  const next = (['retrieve', 'update', 'delete'] as const).filter(
    (operation) => operation !== asked && model.operations.includes(operation),
  );
  const own = next.map((operation) => {
    const id = operationId(operation, model.name);
    const name = schemaName(id);
    const link = () => ({ operationId: id, parameters: { 'path.id': expressionOf('id', model, sources) } });
    return [id, sources.components.refer('links', name, `the link ${id}`, link)] as const;
  });
  // Once is enough: what a create and an update answer is the same record.
  const referred = asked === 'retrieve' ? referenceLinks(model, sources) : [];
  const links = Object.fromEntries([...own, ...referred]);
  return Object.keys(links).length === 0 ? {} : { links };
}

function referenceLinks(model: Model, sources: Sources): [string, OpenAPIV3_1.LinkObject][] {
  const { references, selected } = sources;
  return model.fields.flatMap((field) => {
    const reference = references.get(field.key);
    if (field.type !== 'int' || reference === undefined || !('to' in reference)) return [];
    if (!selected.get(reference.to)?.operations.includes('retrieve')) return [];
    return [
      [
        field.name,
        {
          operationId: operationId('retrieve', reference.to),
          parameters: { 'path.id': expressionOf(field.name, model, sources) },
          description: `The \`${reference.to}\` record in \`${field.name}\` (inferred: ${reference.why}).`,
        },
      ],
    ];
  });
}

function expressionOf(field: string, { name }: Model, { profile }: Sources): string {
  return `$response.body#${pointerFor(profile['response.record'], name)}/${field}`;
}
