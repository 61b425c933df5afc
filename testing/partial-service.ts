import { catalogue } from './checks.ts';
import type { Asked, Reply } from './proxies/recording-proxy.ts';

/** Returns the model in a path. */
export function modelIn({ path }: Pick<Asked, 'path'>): string {
  return /^\/api\/model\/(\w+)/.exec(path)?.[1] ?? '';
}

/** Returns the response of a service that has only some of the models, to requests for the others. */
export function onlyBuilt(
  built: readonly string[],
  noRoute: Reply = { status: 404, body: { message: 'not found' } },
) {
  return (asked: Asked): Reply | undefined => {
    const model = modelIn(asked);
    return built.includes(model) || !catalogue.models.has(model) ? undefined : noRoute;
  };
}
