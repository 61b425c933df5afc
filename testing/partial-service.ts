import { catalogue } from './checks.ts';
import type { Asked, Reply } from './proxies/recording-proxy.ts';

/** Returns the response to a path without a route. */
export type NoRoute = (path: string) => Reply;

const HTML = { 'content-type': 'text/html; charset=utf-8' };

/** How services respond to a model that they do not have. */
export const NO_ROUTES = {
  '404': () => ({ status: 404, body: { message: 'not found' } }),
  '501': () => ({ status: 501, body: { message: 'not implemented' } }),
  'Express 404': (path) => ({
    status: 404,
    headers: HTML,
    body: `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n<pre>Cannot GET ${path}</pre>\n</body>\n</html>\n`,
  }),
  'Django 404': () => ({
    status: 404,
    headers: HTML,
    body: '\n<!doctype html>\n<html lang="en">\n<head>\n  <title>Not Found</title>\n</head>\n<body>\n  <h1>Not Found</h1><p>The requested resource was not found on this server.</p>\n</body>\n</html>\n',
  }),
} satisfies Readonly<Record<string, NoRoute>>;

/** Returns the model in a path. */
export function modelIn({ path }: Pick<Asked, 'path'>): string {
  return /^\/api\/model\/(\w+)/.exec(path)?.[1] ?? '';
}

/** Answers requests to all models of the catalogue but some in the place of a service. */
export function onlyBuilt(built: readonly string[], noRoute: NoRoute = NO_ROUTES['404']) {
  return (asked: Asked): Reply | undefined => {
    const model = modelIn(asked);
    return built.includes(model) || !catalogue.models.has(model) ? undefined : noRoute(asked.path);
  };
}
