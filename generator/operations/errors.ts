import type { OpenAPIV3_1 } from 'openapi-types';
import { hasId } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { Sources } from '../sources.ts';
import { ERROR_BODIES, type Refusal, referToError, type Violation } from './error-bodies.ts';
import { exampleViolation } from './violations.ts';

/** Why a request is refused. */
type ErrorKind = 'invalid' | 'unparsable' | 'unknownRecord' | 'unauthorized' | 'tooLarge' | 'tooManyRequests';

const REFUSALS: Readonly<Record<ErrorKind, Refusal>> = {
  invalid: { name: 'Invalid', description: 'A parameter is invalid.' },
  unparsable: {
    name: 'Unparsable',
    description:
      "The body can't be parsed, has an unsupported media type, or is not an object. Nothing is stored.",
  },
  unknownRecord: { name: 'UnknownRecord', description: 'No record has this ID.' },
  unauthorized: { name: 'Unauthorized', description: 'The credentials are missing or invalid.' },
  tooLarge: {
    name: 'TooLarge',
    description: 'The body exceeds the size limit. Nothing is stored.',
  },
  tooManyRequests: {
    name: 'TooManyRequests',
    description: 'The rate limit is exceeded. `Retry-After` is the number of seconds to wait.',
  },
};

const INVALID_BODY: Refusal = {
  name: 'InvalidBody',
  description: 'A field or parameter is missing, invalid, or not allowed. Nothing is stored.',
};

/** The refusals of an operation by status; kinds that share a status under the profile are one response. */
export function errorResponses(
  operation: Operation,
  model: Model,
  sources: Sources,
): OpenAPIV3_1.ResponsesObject {
  const { components, profile } = sources;
  const byStatus = Map.groupBy(errorKinds(operation, profile), (kind) => statusOf(kind, profile));
  const responses = [...byStatus].map(([status, kinds]) => {
    const violation = kinds.includes('invalid') ? exampleViolation(operation, model, sources) : undefined;
    const make = () => errorResponse(status, kinds, operation, violation, sources);
    // Its example names a field of the model: such a response is no other operation's.
    if (violation?.ofModel === true) return [status, make()];
    const name = kinds.map((kind) => refusalOf(kind, operation).name).join('Or');
    const called = violation && operation === 'list' ? `${name}Query` : name;
    return [status, components.refer('responses', called, `the refusal ${called}`, make)];
  });
  const otherwise = components.refer('responses', 'Unexpected', 'every other refusal', () => ({
    description: 'Any other error.',
    ...contentOf([['default', 500, { name: 'Failure', description: 'The service failed.' }]], sources),
  }));
  return { ...Object.fromEntries(responses), default: otherwise };
}

function errorKinds(operation: Operation, profile: Profile): ErrorKind[] {
  const writes = operation === 'create' || operation === 'update';
  // Beside these, a retrieve and a delete have nothing that could be wrong.
  const hasParameters =
    operation === 'list' || profile['request.unknownFields'] === 'reject' || profile['version.in'] !== 'none';
  return [
    ...(writes || hasParameters ? (['invalid'] as const) : []),
    ...(writes ? (['unparsable', 'tooLarge'] as const) : []),
    ...(hasId(operation) ? (['unknownRecord'] as const) : []),
    ...(profile['auth.scheme'] === 'none' ? [] : (['unauthorized'] as const)),
    ...(profile['limits.rate'] === 'none' ? [] : (['tooManyRequests'] as const)),
  ];
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

function refusalOf(kind: ErrorKind, operation: Operation): Refusal {
  const writes = operation === 'create' || operation === 'update';
  return kind === 'invalid' && writes ? INVALID_BODY : REFUSALS[kind];
}

function errorResponse(
  status: number,
  kinds: readonly ErrorKind[],
  operation: Operation,
  violation: Violation | undefined,
  sources: Sources,
): OpenAPIV3_1.ResponseObject {
  const headers = headersOf(kinds);
  const refusals = kinds.map((kind) => ({
    kind,
    refusal: {
      ...refusalOf(kind, operation),
      ...(kind === 'invalid' && violation
        ? { violation: { pointer: violation.pointer, message: violation.message } }
        : {}),
    },
  }));
  return {
    description: refusals.map(({ refusal }) => refusal.description).join(' Or: '),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...contentOf(
      refusals.map(({ kind, refusal }, index) => [index === 0 ? 'default' : kind, status, refusal]),
      sources,
    ),
  };
}

function headersOf(kinds: readonly ErrorKind[]): Record<string, OpenAPIV3_1.HeaderObject> {
  return {
    ...(kinds.includes('unauthorized')
      ? {
          'WWW-Authenticate': {
            description: 'The required authentication scheme.',
            schema: { type: 'string' } as const,
          },
        }
      : {}),
    ...(kinds.includes('tooManyRequests')
      ? {
          'Retry-After': {
            description: 'Number of seconds to wait.',
            schema: { type: 'integer', format: 'int32', minimum: 0 } as const,
          },
        }
      : {}),
  };
}

function contentOf(
  shown: readonly (readonly [name: string, status: number, refusal: Refusal])[],
  { components, profile }: Sources,
): Pick<OpenAPIV3_1.ResponseObject, 'content'> {
  const body = ERROR_BODIES[profile['errors.form']];
  if (!body) return {};
  const examples = shown.map(
    ([name, status, refusal]) =>
      [name, { summary: refusal.description, value: body.example(status, refusal) }] as const,
  );
  return {
    content: {
      [body.mediaType]: {
        schema: referToError(body, components),
        examples: Object.fromEntries(examples),
      },
    },
  };
}
