import { UsageError } from '../../../spec/files/usage-error.ts';
import type { ActionParts } from '../action.ts';
import { refuseName, SESSION_NAME, SHARED } from '../address.ts';
import { type SessionApi, sessionMethods } from './session-api.ts';

/** A session of a mock in this process. Throws UsageError for a name that no session can have. */
export function createOwnSession(
  name: string,
  options: {
    readonly parts: ActionParts;
    readonly fetch: (request: Request) => Promise<Response>;
  },
): SessionApi {
  const { parts } = options;
  const { sessions } = parts;
  if (!SESSION_NAME.test(name)) throw new UsageError(refuseName(name));
  return {
    ...sessionMethods(async (action, given) =>
      action.run({ ...parts, session: await sessions.use(name) }, given as never),
    ),
    delete: async () => {
      if (name === SHARED) throw new UsageError("The shared session can't be deleted. Reset it instead.");
      await sessions.delete(name);
    },
    fetch: (request) => {
      const own = new Request(request);
      own.headers.set('x-mock-session', name);
      return options.fetch(own);
    },
  };
}
