import type { OpenAPIV3_1 } from 'openapi-types';
import type { ContractDocument } from './generate.ts';

/**
 * Returns a copy of the document without the `default` responses, for callers that need the statuses named by the
 * profile.
 */
export function withNamedStatuses(document: ContractDocument): ContractDocument {
  const paths = Object.entries(document.paths).map(([path, item = {}]) => {
    const own = (['get', 'post', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      return operation ? [[method, withoutDefault(operation)] as const] : [];
    });
    return [path, { ...item, ...Object.fromEntries(own) }] as const;
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

function withoutDefault(operation: OpenAPIV3_1.OperationObject): OpenAPIV3_1.OperationObject {
  const { default: _, ...responses } = operation.responses ?? {};
  return { ...operation, responses };
}
