import type { Profile } from '../../../spec/profile/profile.ts';

type Auth = {
  readonly auth?: object;
  readonly variables: readonly (readonly [name: string, value: string])[];
};

/** How a collection authenticates, with the variables that a user sets. */
export function authOf(profile: Profile): Auth {
  const part = (key: string, value: string) => ({ key, value, type: 'string' });
  switch (profile['auth.scheme']) {
    case 'none':
      return { variables: [] };
    case 'bearer':
      return {
        auth: { type: 'bearer', bearer: [part('token', '{{token}}')] },
        variables: [['token', 'token']],
      };
    case 'basic':
      return {
        auth: {
          type: 'basic',
          basic: [part('username', '{{username}}'), part('password', '{{password}}')],
        },
        variables: [
          ['username', 'user'],
          ['password', 'password'],
        ],
      };
    case 'apiKey':
      return {
        auth: {
          type: 'apikey',
          apikey: [part('key', profile['auth.header']), part('value', '{{apiKey}}'), part('in', 'header')],
        },
        variables: [['apiKey', 'key']],
      };
  }
}
