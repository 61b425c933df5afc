import { operationId } from '../../spec/binding.ts';
import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { DOCUMENT_PATHS, isDocumentPath } from '../operations/documents.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Maximum length of a path, because a longer one takes long to compare. */
const LONGEST_PATH = 1000;

/**
 * Returns a function that throws UsageError if no request can meet the conditions, because the catalogue has no such
 * name. A `pattern` is a path in which `*` matches any text.
 */
export function createNameCheck(
  { base, models }: Catalogue,
  routes: { hasPath(path: string): boolean; readonly paths: readonly string[] } = {
    hasPath: () => false,
    paths: [],
  },
) {
  const names = [...models.keys()];
  const endpoints = [...models.values()].flatMap(({ name, operations }) =>
    operations.map((operation) => ({ model: name, words: [operation, operationId(operation, name)] })),
  );
  return (
    named: {
      readonly method?: string | undefined;
      readonly model?: string | undefined;
      readonly operation?: string | undefined;
      readonly path?: string | undefined;
    },
    pathForm: 'path' | 'pattern',
  ) => {
    const { method, model, operation, path } = named;
    if (method !== undefined && !METHODS.includes(method.toUpperCase()))
      throw new UsageError(unexpected('method', method, METHODS));
    if (model !== undefined && !models.has(model)) throw new UsageError(unexpected('model', model, names));
    if (operation !== undefined) refuseOperation(operation, model);
    if (path !== undefined) refusePath(path, pathForm === 'pattern' && path.includes('*'));
  };

  function refuseOperation(operation: string, model: string | undefined): void {
    const known = endpoints.flatMap((one) => (model === undefined || one.model === model ? one.words : []));
    if (!known.includes(operation))
      throw new UsageError(unexpected('operation', operation, known, model && `of ${model}`));
  }

  function refusePath(path: string, isPattern: boolean): void {
    const shown = path.slice(0, LONGEST_PATH);
    // The IDs in the path are part of the paths that it is compared with.
    const ids = new Set(['7', ...(shown.match(/\d[\d*]*/g) ?? []).map((id) => id.replaceAll('*', ''))]);
    const paths = names.flatMap((name) => [
      `${base}/${name}`,
      ...[...ids].map((id) => `${base}/${name}/${id}`),
    ]);
    const known = [...paths, ...DOCUMENT_PATHS, ...routes.paths];
    const isKnown = isPattern ? known.some((one) => matchesPath(path, one)) : isPath(path);
    if (isKnown && path.length <= LONGEST_PATH) return;
    const patterns = isPattern ? names.flatMap((name) => [`*/${name}`, `*/${name}/*`]) : [];
    throw new UsageError(unexpected('path', shown, [...known, ...patterns]));
  }

  function isPath(path: string): boolean {
    if (isDocumentPath(path) || routes.hasPath(path)) return true;
    if (!path.startsWith(`${base}/`)) return false;
    const [name = '', id, ...rest] = path.slice(base.length + 1).split('/');
    return models.has(name) && id !== '' && rest.length === 0;
  }
}

export type NameCheck = ReturnType<typeof createNameCheck>;

/** Whether a path matches. A `*` matches any text. It uses no regular expression, so that no rule takes long. */
export function matchesPath(pattern: string, path: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  if (!path.startsWith(first)) return false;
  if (parts.length === 0) return path === first;
  const last = parts.pop() ?? '';
  let at = first.length;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return path.length - last.length >= at && path.endsWith(last);
}
