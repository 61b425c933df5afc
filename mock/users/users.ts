import type { Contract } from '../../spec/contract.ts';
import type { Place } from '../../spec/files/place.ts';
import { checkShape } from '../../spec/files/shape.ts';
import { readAll, UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { readYaml, readYamlFile } from '../../spec/files/yaml-file.ts';
import { headerIn, type Profile } from '../../spec/profile/profile.ts';
import type { Headers } from '../http/http.ts';
import type { Refusal } from '../operations/reply.ts';
import { type Endpoint, tokenIn, unauthorized } from '../operations/router.ts';

/** Somebody who may use the mock (`spec/schemas/users.schema.json`). */
export type User = {
  /** The bearer token or API key; `name:password` where the scheme is basic. */
  readonly token: string;
  /** What `createUser` and `updateUser` show. */
  readonly id: number;
  /** Allows only retrieve and list. */
  readonly readOnly?: boolean;
  /** The only models that the user may use; all when absent. */
  readonly models?: readonly string[];
  /** A day or a point in time, by the clock of the session; from then on the token is refused. */
  readonly expires?: string;
};

/** Returns whose credentials a request has at a time, in milliseconds since 1970; or why it is refused (401). */
export type Users = (headers: Headers, time: number) => User | Refusal;

/**
 * Reads the users of a mock. Throws UsageError with file and line for a mistake under the schema, an unknown model, a
 * token that occurs twice or can't be sent, and a profile without credentials.
 */
export function readUsers(source: readonly User[] | string, { catalogue, profile }: Contract): Users {
  if (profile.auth === 'none')
    throw new UsageError(
      'Users need credentials, but auth is "none" in the profile. Set it to bearer, basic, or header X-API-Key.',
    );
  const file = typeof source === 'string' ? readYamlFile(source) : readYaml(JSON.stringify(source), 'users');
  const byToken = new Map<string, User>();
  readAll(file.items(), (place) => {
    checkShape(place, 'users#/items');
    const user = place.value as User;
    checkUser(user, place);
    if (byToken.has(user.token))
      place.fail(`User ${user.id} has the token of another user. Change one of them.`);
    byToken.set(user.token, user);
  });
  // The number of users.
  checkShape(file, 'users');
  return (headers, time) => {
    const user = byToken.get(tokenIn(profile, headers) ?? '');
    if (!user)
      return refuse('The credentials belong to no user of the mock. Use those of a user in the users file.');
    const { expires } = user;
    if (expires === undefined || time < Date.parse(expires)) return user;
    return refuse(`The credentials expired at ${expires}.`);
  };

  function refuse(detail: string): Refusal {
    return unauthorized(profile, detail, 'invalid_token');
  }

  function checkUser({ expires, id, models = [], token }: User, place: Place): void {
    const names = [...catalogue.models.keys()];
    readAll(models, (model) => {
      if (!catalogue.models.has(model)) place.fail(unexpected('model', model, names, `for user ${id}`));
    });
    if (tokenIn(profile, headersOf(token, profile)) !== token)
      place.fail(
        `The token of user ${id} can't be sent as ${profile.auth}. Use ${FORMS[profile.auth] ?? 'a string without spaces at its ends'}.`,
      );
    if (expires !== undefined && Number.isNaN(Date.parse(expires)))
      place.fail(`expires must be a date or time such as 2025-10-22T09:30:00Z, but is "${expires}".`);
  }
}

/** Why a user may not do what is asked; undefined when they may. */
export function forbid(user: User, { method, model }: Endpoint): string | undefined {
  if (user.readOnly && method !== 'get') return `User ${user.id} can only read.`;
  if (user.models === undefined || user.models.includes(model.name)) return undefined;
  return `User ${user.id} can't use ${model.name}. ${user.models.length > 0 ? `The user can use ${user.models.join(', ')}.` : 'The user can use no model.'}`;
}

const FORMS: Readonly<Record<string, string>> = {
  bearer: 'only letters, digits, and -._~+/ (RFC 6750)',
  basic: 'name:password',
};

function headersOf(token: string, profile: Profile): Headers {
  switch (profile.auth) {
    case 'basic':
      return { authorization: `Basic ${Buffer.from(token).toString('base64')}` };
    case 'bearer':
      return { authorization: `Bearer ${token}` };
    default:
      return { [headerIn(profile.auth)?.toLowerCase() ?? '']: token };
  }
}
