import type { OpenAPIV3_1 } from 'openapi-types';
import { ERROR_TYPES, hasId, listParameterNames, PHRASES, schemaName } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import { type Profile, placeIn } from '../../spec/profile/profile.ts';
import type { Components } from '../components.ts';
import type { Schema } from '../schemas/schema.ts';
import type { Sources } from '../sources.ts';

/** The body of an error under each option of `errors.form`. */
const ERROR_BODIES: Readonly<Record<Profile['errors.form'], ErrorBody | undefined>> = {
  problem: {
    name: 'ProblemDetails',
    schema: {
      title: 'Problem',
      description: 'A problem (RFC 9457) with all violations of the request.',
      externalDocs: { url: 'https://www.rfc-editor.org/rfc/rfc9457', description: 'RFC 9457' },
      'x-basis': 'assumed',
      required: ['title', 'status'],
    },
    properties: {
      type: {
        type: 'string',
        format: 'uri-reference',
        description: 'The kind of problem. `about:blank` adds nothing to the status.',
      },
      title: { type: 'string', description: 'The reason phrase of the status.' },
      status: { type: 'integer', format: 'int32', description: 'The HTTP status.' },
      detail: { type: 'string', description: 'The error as text.' },
    },
    example: (status, name, detail) => ({
      type: 'about:blank',
      title: PHRASES[status] ?? name,
      status,
      detail,
    }),
  },
  simple: {
    name: 'ErrorDetails',
    schema: {
      title: 'Error',
      description: 'An error with all violations of the request.',
      'x-basis': 'assumed',
      required: ['error'],
    },
    properties: { error: { type: 'string', description: 'The error as text.' } },
    example: (_status, _name, error) => ({ error }),
  },
  empty: undefined,
};

type ErrorBody = {
  readonly name: string;
  readonly schema: Schema;
  readonly properties: Readonly<Record<string, Schema>>;
  /** Returns the members of an example, apart from the violations. */
  example(status: number, name: string, text: string): object;
};

type Refusal = {
  readonly description: string;
  readonly status: number | 'status.invalid' | 'status.unparsable' | 'status.unknownRecord';
  /** Whether an operation has it under a profile. */
  readonly applies: (operation: Operation, profile: Profile) => boolean;
  readonly headers?: Record<string, OpenAPIV3_1.HeaderObject>;
};

/** Why a request is refused. Those of invalid requests are the first, and no operation has both. */
const REFUSALS = {
  invalid: {
    description: 'A parameter is invalid.',
    status: 'status.invalid',
    // A retrieve or a delete has nothing else that can be invalid.
    applies: (operation, profile) =>
      !writes(operation) &&
      (operation === 'list' || profile['request.unknownFields'] === 'reject' || profile.version !== 'none'),
  },
  invalidBody: {
    description: 'A field or parameter is missing, invalid, or not allowed. Nothing is stored.',
    status: 'status.invalid',
    applies: writes,
  },
  unparsable: {
    description:
      "The body can't be parsed, has an unsupported media type, or is not an object. Nothing is stored.",
    status: 'status.unparsable',
    applies: writes,
  },
  tooLarge: {
    description: 'The body exceeds the size limit. Nothing is stored.',
    status: 413,
    applies: writes,
  },
  unknownRecord: {
    description: 'No record has this ID.',
    status: 'status.unknownRecord',
    applies: hasId,
  },
  unauthorized: {
    description: 'The credentials are missing or invalid.',
    status: 401,
    applies: (_, profile) => profile.auth !== 'none',
    headers: {
      'WWW-Authenticate': {
        description: 'The required authentication scheme.',
        schema: { type: 'string' },
      },
    },
  },
  tooManyRequests: {
    description: 'The rate limit is exceeded. `Retry-After` is the number of seconds to wait.',
    status: 429,
    applies: (_, profile) => profile['limits.rate'] !== 'none',
    headers: {
      'Retry-After': {
        description: 'Number of seconds to wait.',
        schema: { type: 'integer', format: 'int32', minimum: 0 },
      },
    },
  },
} satisfies Readonly<Record<string, Refusal>>;

function writes(operation: Operation): operation is 'create' | 'update' {
  return operation === 'create' || operation === 'update';
}

/** The refusals of an operation by status; kinds that share a status under the profile are one response. */
export function errorResponses(
  operation: Operation,
  model: Model,
  sources: Sources,
): OpenAPIV3_1.ResponsesObject {
  const { components, prefix, profile } = sources;
  const refusals = Object.entries<Refusal>(REFUSALS).filter(([, { applies }]) => applies(operation, profile));
  const byStatus = Map.groupBy(refusals, ([, { status }]) =>
    typeof status === 'number' ? status : profile[status],
  );
  const responses = [...byStatus].map(([status, ofStatus]) => {
    const isInvalid = ofStatus.some(([kind]) => kind.startsWith('invalid'));
    const wrong = isInvalid && writes(operation) ? wrongField(operation, model, sources) : undefined;
    const violation = wrong ?? (isInvalid ? wrongParameter(operation, sources) : undefined);
    const shown = ofStatus.map(([kind, { description: text }]) => ({ kind, text }));
    const headers = Object.assign({}, ...ofStatus.map(([, refusal]) => refusal.headers));
    const make = () => ({
      description: shown.map(({ text }) => text).join(' Or: '),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...contentOf(status, shown, violation, sources),
    });
    // Its example names a field of the model: such a response is no other operation's.
    if (wrong) return [status, make()];
    const name = shown.map(({ kind }) => schemaName(kind)).join('Or');
    const called = `${prefix}${name}${violation && operation === 'list' ? 'Query' : ''}`;
    return [status, components.refer('responses', called, `the refusal ${called}`, make)];
  });
  const failure = { kind: 'failure', text: 'The service failed.' };
  const otherwise = components.refer('responses', `${prefix}Unexpected`, 'every other refusal', () => ({
    description: 'Any other error.',
    ...contentOf(500, [failure], undefined, sources),
  }));
  return { ...Object.fromEntries(responses), default: otherwise };
}

/** One thing that is wrong with a request: where, and what. */
type Violation = { readonly pointer: string; readonly message: string };

/** The body of errors, with an example of each refusal. The first one shows the violation if there is one. */
function contentOf(
  status: number,
  refusals: readonly { readonly kind: string; readonly text: string }[],
  first: Violation | undefined,
  { components, profile }: Sources,
): Pick<OpenAPIV3_1.ResponseObject, 'content'> {
  const form = profile['errors.form'];
  const body = ERROR_BODIES[form];
  if (form === 'empty' || !body) return {};
  const examples = refusals.map(({ kind, text }, index) => {
    const violation = index === 0 ? first : undefined;
    const detail = violation ? `${violation.pointer} ${violation.message}.` : text;
    const example = body.example(status, schemaName(kind), detail);
    const value = { ...example, ...(violation && { violations: [violation] }) };
    return [index === 0 ? 'default' : kind, { summary: text, value }];
  });
  const schema = components.refer('schemas', body.name, 'the body of errors', () => ({
    type: 'object',
    ...body.schema,
    properties: { ...body.properties, violations: violationsSchema(components) },
  }));
  return { content: { [ERROR_TYPES[form]]: { schema, examples: Object.fromEntries(examples) } } };
}

/** A parameter that can be wrong in a request, to show in its refusal; undefined if none can. */
function wrongParameter(operation: Operation, { catalogue, profile }: Sources): Violation | undefined {
  const names = listParameterNames(profile);
  const [size, sort] = operation === 'list' ? [names.get('size'), names.get('sort')] : [];
  if (size !== undefined)
    return { pointer: `/${size}`, message: 'must be an integer of at least 1, but is "many"' };
  if (sort !== undefined) {
    const message = 'must be the name of a sortable field, optionally with - in front, but is "color"';
    return { pointer: `/${sort}`, message };
  }
  const version = placeIn(profile.version);
  if (version) {
    const message = `must be the version label ${catalogue.version} in the ${version.in}, but is missing`;
    return { pointer: `/${version.name}`, message };
  }
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
