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

/** Why a request is refused. */
type ErrorKind = 'invalid' | 'unparsable' | 'tooLarge' | 'unknownRecord' | 'unauthorized' | 'tooManyRequests';

type Refusal = {
  readonly description: string;
  readonly status: number | 'status.invalid' | 'status.unparsable' | 'status.unknownRecord';
  /** Whether an operation has it under a profile. */
  readonly applies: (operation: Operation, profile: Profile) => boolean;
  readonly headers?: Record<string, OpenAPIV3_1.HeaderObject>;
};

const REFUSALS: Readonly<Record<ErrorKind, Refusal>> = {
  invalid: {
    description: 'A parameter is invalid.',
    status: 'status.invalid',
    // A retrieve or a delete has nothing else that can be invalid.
    applies: (operation, profile) =>
      writes(operation) ||
      operation === 'list' ||
      profile['request.unknownFields'] === 'reject' ||
      profile.version !== 'none',
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
};

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
  const kinds = (Object.keys(REFUSALS) as ErrorKind[]).filter((kind) =>
    REFUSALS[kind].applies(operation, profile),
  );
  const byStatus = Map.groupBy(kinds, (kind) => {
    const { status } = REFUSALS[kind];
    return typeof status === 'number' ? status : profile[status];
  });
  const responses = [...byStatus].map(([status, ofStatus]) => {
    const found = ofStatus.includes('invalid') ? exampleViolation(operation, model, sources) : undefined;
    const shown = ofStatus.map((kind): ShownRefusal => {
      if (kind !== 'invalid') return { kind, name: schemaName(kind), text: REFUSALS[kind].description };
      const violation = found?.violation;
      if (!writes(operation)) return { kind, name: 'Invalid', text: REFUSALS.invalid.description, violation };
      const text = 'A field or parameter is missing, invalid, or not allowed. Nothing is stored.';
      return { kind, name: 'InvalidBody', text, violation };
    });
    const headers = Object.assign({}, ...ofStatus.map((kind) => REFUSALS[kind].headers));
    const make = () => ({
      description: shown.map(({ text }) => text).join(' Or: '),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...contentOf(status, shown, sources),
    });
    // Its example names a field of the model: such a response is no other operation's.
    if (found?.isOfModel) return [status, make()];
    const name = shown.map((one) => one.name).join('Or');
    const called = `${prefix}${name}${found && operation === 'list' ? 'Query' : ''}`;
    return [status, components.refer('responses', called, `the refusal ${called}`, make)];
  });
  const failure: ShownRefusal = { kind: 'default', name: 'Failure', text: 'The service failed.' };
  const otherwise = components.refer('responses', `${prefix}Unexpected`, 'every other refusal', () => ({
    description: 'Any other error.',
    ...contentOf(500, [failure], sources),
  }));
  return { ...Object.fromEntries(responses), default: otherwise };
}

/** A refusal in a response: the name of its shared response, a sentence, and the violation if it is known. */
type ShownRefusal = {
  readonly kind: ErrorKind | 'default';
  readonly name: string;
  readonly text: string;
  readonly violation?: Violation | undefined;
};

/** One thing that is wrong with a request: where, and what. */
type Violation = { readonly pointer: string; readonly message: string };

/** The body of errors, with an example of each refusal. */
function contentOf(
  status: number,
  refusals: readonly ShownRefusal[],
  { components, profile }: Sources,
): Pick<OpenAPIV3_1.ResponseObject, 'content'> {
  const form = profile['errors.form'];
  const body = ERROR_BODIES[form];
  if (form === 'empty' || !body) return {};
  const examples = refusals.map(({ kind, name, text, violation }, index) => {
    const detail = violation ? `${violation.pointer} ${violation.message}.` : text;
    const value = { ...body.example(status, name, detail), ...(violation && { violations: [violation] }) };
    return [index === 0 ? 'default' : kind, { summary: text, value }];
  });
  const schema = components.refer('schemas', body.name, 'the body of errors', () => ({
    type: 'object',
    ...body.schema,
    properties: { ...body.properties, violations: violationsSchema(components) },
  }));
  return { content: { [ERROR_TYPES[form]]: { schema, examples: Object.fromEntries(examples) } } };
}

/** Something that can be wrong with a request of an operation, to show in its refusal; undefined where nothing is. */
function exampleViolation(
  operation: Operation,
  model: Model,
  sources: Sources,
): { readonly violation: Violation; readonly isOfModel: boolean } | undefined {
  const { catalogue, profile } = sources;
  const wrong = writes(operation) ? wrongField(operation, model, sources) : undefined;
  if (wrong) return { violation: wrong, isOfModel: true };
  const of = (pointer: string, message: string) => ({ violation: { pointer, message }, isOfModel: false });
  const names = listParameterNames(profile);
  const [size, sort] = operation === 'list' ? [names.get('size'), names.get('sort')] : [];
  if (size !== undefined) return of(`/${size}`, 'must be an integer of at least 1, but is "many"');
  if (sort !== undefined)
    return of(`/${sort}`, 'must be the name of a sortable field, optionally with - in front, but is "color"');
  const version = placeIn(profile.version);
  if (version)
    return of(
      `/${version.name}`,
      `must be the version label ${catalogue.version} in the ${version.in}, but is missing`,
    );
  if (profile['request.unknownFields'] === 'ignore') return undefined;
  return of('/color', 'is not a known query parameter');
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
