import type { OpenAPIV3_1 } from 'openapi-types';
import type { Profile } from '../../spec/profile/profile.ts';
import { referTo, type Schema } from '../schemas/schema.ts';
import { ERROR_BODIES, type Refusal } from './error-bodies.ts';

/** Why a request is refused; each is one shared response of the document. */
export type ErrorKind =
  | 'invalid'
  | 'unparsable'
  | 'unknownRecord'
  | 'unauthorized'
  | 'tooLarge'
  | 'tooManyRequests';

const REFUSALS: Readonly<Record<ErrorKind, Refusal>> = {
  invalid: {
    name: 'Invalid',
    description:
      'A value, a required field, a parameter or a field that may not be sent is wrong. Nothing is stored.',
    violation: 'is required',
  },
  unparsable: {
    name: 'Unparsable',
    description:
      'The body cannot be read, has another media type or is not an object of fields. Nothing is stored.',
  },
  unknownRecord: { name: 'UnknownRecord', description: 'There is no record with this id.' },
  unauthorized: { name: 'Unauthorized', description: 'The credentials are missing or wrong.' },
  tooLarge: {
    name: 'TooLarge',
    description: 'The body is longer than the service takes. Nothing is stored.',
  },
  tooManyRequests: {
    name: 'TooManyRequests',
    description: 'More requests than the limit; `Retry-After` says how many seconds to wait.',
  },
};

/** Refers operations to shared error responses, and keeps those that were referred to. */
export type ErrorResponses = {
  /** The responses of one operation by status; kinds that share a status under the profile are one response. */
  respond(kinds: readonly ErrorKind[]): OpenAPIV3_1.ResponsesObject;
  /** The shared responses by name, in a fixed order. */
  components(): Record<string, OpenAPIV3_1.ResponseObject>;
  /** The schemas they use by name. */
  schemas(): readonly (readonly [name: string, schema: Schema])[];
};

export function createErrorResponses(profile: Profile): ErrorResponses {
  const shared = new Map<string, OpenAPIV3_1.ResponseObject>();
  return {
    respond: (kinds) => {
      const byStatus = Map.groupBy(kinds, (kind) => statusOf(kind, profile));
      return Object.fromEntries(
        [...byStatus].map(([status, sharing]) => {
          const name = sharing.map((kind) => REFUSALS[kind].name).join('Or');
          if (!shared.has(name)) shared.set(name, errorResponse(status, sharing, profile));
          return [String(status), referTo('responses', name)];
        }),
      );
    },
    components: () => Object.fromEntries([...shared].toSorted(([one], [other]) => (one < other ? -1 : 1))),
    schemas: () => {
      const body = ERROR_BODIES[profile['errors.form']];
      return body ? [[body.name, body.schema()]] : [];
    },
  };
}

function statusOf(kind: ErrorKind, profile: Profile): number {
  switch (kind) {
    case 'unauthorized':
      return 401;
    case 'tooLarge':
      return 413;
    case 'tooManyRequests':
      return 429;
    default:
      return profile[`status.${kind}`];
  }
}

function errorResponse(
  status: number,
  kinds: readonly ErrorKind[],
  profile: Profile,
): OpenAPIV3_1.ResponseObject {
  const body = ERROR_BODIES[profile['errors.form']];
  const headers = {
    ...(kinds.includes('unauthorized')
      ? { 'WWW-Authenticate': { description: 'The scheme asked for.', schema: { type: 'string' } as const } }
      : {}),
    ...(kinds.includes('tooManyRequests')
      ? {
          'Retry-After': {
            description: 'Seconds to wait.',
            schema: { type: 'integer', minimum: 0 } as const,
          },
        }
      : {}),
  };
  return {
    description: kinds.map((kind) => REFUSALS[kind].description).join(' Or: '),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(body
      ? {
          content: {
            [body.mediaType]: {
              schema: referTo('schemas', body.name),
              examples: Object.fromEntries(
                kinds.map((kind, index) => [
                  index === 0 ? 'default' : kind,
                  { value: body.example(status, REFUSALS[kind]) },
                ]),
              ),
            },
          },
        }
      : {}),
  };
}
