import type { OpenAPIV3_1 } from 'openapi-types';
import { ERROR_TYPES, hasId, listParameterNames, PHRASES } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import { type Profile, placeIn } from '../../spec/profile/profile.ts';
import type { Components } from '../components.ts';
import type { Schema, SchemaReference } from '../schemas/schema.ts';
import type { Sources } from '../sources.ts';

/** The body of an error under each option of `errors.form`. */
const ERROR_BODIES: Readonly<Record<Profile['errors.form'], ErrorBody | undefined>> = {
  problem: {
    name: 'ProblemDetails',
    mediaType: ERROR_TYPES.problem,
    schema: (components) => ({
      type: 'object',
      title: 'Problem',
      description: 'A problem (RFC 9457) with all violations of the request.',
      externalDocs: { url: 'https://www.rfc-editor.org/rfc/rfc9457', description: 'RFC 9457' },
      'x-basis': 'assumed',
      required: ['title', 'status'],
      properties: {
        type: {
          type: 'string',
          format: 'uri-reference',
          description: 'The kind of problem. `about:blank` adds nothing to the status.',
        },
        title: { type: 'string', description: 'The reason phrase of the status.' },
        status: { type: 'integer', format: 'int32', description: 'The HTTP status.' },
        detail: { type: 'string', description: 'The error as text.' },
        violations: violationsSchema(components),
      },
    }),
    example: (status, { name, description, violation }) => ({
      type: 'about:blank',
      title: PHRASES[status] ?? name,
      status,
      detail: violation ? `${violation.pointer} ${violation.message}.` : description,
      ...(violation ? { violations: [violation] } : {}),
    }),
  },
  simple: {
    name: 'ErrorDetails',
    mediaType: ERROR_TYPES.simple,
    schema: (components) => ({
      type: 'object',
      title: 'Error',
      description: 'An error with all violations of the request.',
      'x-basis': 'assumed',
      required: ['error'],
      properties: {
        error: { type: 'string', description: 'The error as text.' },
        violations: violationsSchema(components),
      },
    }),
    example: (_status, { description, violation }) => ({
      error: violation ? `${violation.pointer} ${violation.message}.` : description,
      ...(violation ? { violations: [violation] } : {}),
    }),
  },
  empty: undefined,
};

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
    const called = `${sources.prefix}${name}${violation && operation === 'list' ? 'Query' : ''}`;
    return [status, components.refer('responses', called, `the refusal ${called}`, make)];
  });
  const otherwise = components.refer(
    'responses',
    `${sources.prefix}Unexpected`,
    'every other refusal',
    () => ({
      description: 'Any other error.',
      ...contentOf([['default', 500, { name: 'Failure', description: 'The service failed.' }]], sources),
    }),
  );
  return { ...Object.fromEntries(responses), default: otherwise };
}

function errorKinds(operation: Operation, profile: Profile): ErrorKind[] {
  const writes = operation === 'create' || operation === 'update';
  // Nothing else in a retrieve or a delete can be invalid.
  const hasParameters =
    operation === 'list' || profile['request.unknownFields'] === 'reject' || profile.version !== 'none';
  return [
    ...(writes || hasParameters ? (['invalid'] as const) : []),
    ...(writes ? (['unparsable', 'tooLarge'] as const) : []),
    ...(hasId(operation) ? (['unknownRecord'] as const) : []),
    ...(profile.auth === 'none' ? [] : (['unauthorized'] as const)),
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

/** Something that can be wrong with a request of an operation, to show in its refusal; undefined where nothing is. */
function exampleViolation(
  operation: Operation,
  model: Model,
  sources: Sources,
): (Violation & { readonly ofModel?: true }) | undefined {
  const { catalogue, profile } = sources;
  if (operation === 'create' || operation === 'update') {
    const wrong = wrongField(operation, model, sources);
    if (wrong) return { ...wrong, ofModel: true };
  }
  const names = listParameterNames(profile);
  if (operation === 'list') {
    const [size, sort] = [names.get('size'), names.get('sort')];
    if (size !== undefined)
      return { pointer: `/${size}`, message: 'must be an integer of at least 1, but is "many"' };
    if (sort !== undefined)
      return {
        pointer: `/${sort}`,
        message: 'must be the name of a sortable field, optionally with - in front, but is "color"',
      };
  }
  const version = placeIn(profile.version);
  if (version)
    return {
      pointer: `/${version.name}`,
      message: `must be the version label ${catalogue.version} in the ${version.in}, but is missing`,
    };
  if (profile['request.unknownFields'] === 'ignore') return undefined;
  return { pointer: '/color', message: 'is not a known query parameter' };
}

function wrongField(
  operation: 'create' | 'update',
  { fields }: Model,
  { profile }: Sources,
): Violation | undefined {
  const writable = fields.filter((field) => !field.readonly);
  const required = writable.find((field) => field.required);
  const isWhole = operation === 'create' || profile['request.update'] !== 'partial';
  if (required)
    return {
      pointer: `/${required.name}`,
      message: isWhole ? 'is required' : 'must have a value, but is null',
    };
  const field = writable.find(({ type }) => type === 'int' || type === 'date' || type === 'manyToMany');
  if (!field) return undefined;
  const expected = { int: 'an integer', date: 'a date such as 2025-10-22' }[field.type as 'int' | 'date'];
  return { pointer: `/${field.name}`, message: `must be ${expected ?? 'an array'}, but is "many"` };
}

/** One thing that is wrong with a request: where, and what. */
type Violation = { readonly pointer: string; readonly message: string };

/** An error: the name of its shared response, a sentence, and the violation if it is known. */
type Refusal = { readonly name: string; readonly description: string; readonly violation?: Violation };

type ErrorBody = {
  readonly name: string;
  readonly mediaType: string;
  schema(components: Components): Schema;
  example(status: number, refusal: Refusal): unknown;
};

/** Refers to the schema of an error's body. */
function referToError(body: ErrorBody, components: Components): SchemaReference {
  return components.refer('schemas', body.name, 'the body of errors', () => body.schema(components));
}

function violationsSchema(components: Components): Schema {
  const item = components.refer('schemas', 'Violation', 'a violation in errors', () => ({
    type: 'object',
    description: 'One error in a request.',
    'x-basis': 'assumed',
    required: ['message'],
    properties: {
      pointer: {
        type: 'string',
        description: 'The JSON pointer to the invalid value in the body. Absent if a parameter is invalid.',
      },
      parameter: { type: 'string', description: 'The name of the invalid query parameter or header.' },
      message: { type: 'string', description: 'The expected value and the value found.' },
    },
  }));
  return { type: 'array', items: item, description: 'All errors in the request.' };
}
