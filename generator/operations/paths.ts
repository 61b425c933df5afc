import type { OpenAPIV3_1 } from 'openapi-types';
import { hasId, METHODS, templateOf } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Sources } from '../sources.ts';
import { operationOf } from './operations.ts';

/** The two paths of every model that is wanted, with the operations it has, in the order of the source. */
export function pathsOf(sources: Sources): OpenAPIV3_1.PathsObject {
  const { base } = sources.catalogue;
  return Object.fromEntries(
    [...sources.selected.values()].flatMap((model) =>
      [false, true].flatMap((withId) => {
        const operations = model.operations.filter((operation) => hasId(operation) === withId);
        const [first] = operations;
        return first ? [[templateOf(base, model, first), itemOf(model, operations)] as const] : [];
      }),
    ),
  );

  function itemOf(model: Model, operations: readonly Operation[]): OpenAPIV3_1.PathItemObject {
    return Object.fromEntries(
      operations.map((operation) => [METHODS[operation], operationOf(operation, model, sources)]),
    );
  }
}
