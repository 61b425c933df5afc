import type { OpenAPIV3_1 } from 'openapi-types';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Sources } from '../sources.ts';
import type { ErrorResponses } from './errors.ts';
import { hasId, operationOf } from './operations.ts';

/** The method of each operation, as a document names it (section 4). */
export const METHODS = {
  retrieve: 'get',
  list: 'get',
  create: 'post',
  // Section 4, rule 1: there is no PUT or PATCH.
  update: 'post',
  delete: 'delete',
} as const satisfies Readonly<Record<Operation, string>>;

/** The two paths of every model, with the operations it has. */
export function pathsOf(sources: Sources, errors: ErrorResponses): OpenAPIV3_1.PathsObject {
  const { base, models } = sources.catalogue;
  return Object.fromEntries(
    [...models.values()].flatMap((model) =>
      [false, true].flatMap((withId) => {
        const operations = model.operations.filter((operation) => hasId(operation) === withId);
        if (operations.length === 0) return [];
        return [[pathOf(base, model, withId), itemOf(model, operations)] as const];
      }),
    ),
  );

  function itemOf(model: Model, operations: readonly Operation[]): OpenAPIV3_1.PathItemObject {
    return Object.fromEntries(
      operations.map((operation) => [METHODS[operation], operationOf(operation, model, errors, sources)]),
    );
  }
}

/** The path of an operation as the document writes it, such as `/api/model/warehouse/{id}`. */
export function templateOf(base: string, model: Model, operation: Operation): string {
  return pathOf(base, model, hasId(operation));
}

function pathOf(base: string, { name }: Model, withId: boolean): string {
  return `${base}/${name}${withId ? '/{id}' : ''}`;
}
