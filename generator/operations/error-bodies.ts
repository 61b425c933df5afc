import { ERROR_TYPES, PHRASES } from '../../spec/binding.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { Components } from '../components.ts';
import type { Schema, SchemaReference } from '../schemas/schema.ts';

/** One thing that is wrong with a request: where, and what. */
export type Violation = { readonly pointer: string; readonly message: string };

/** What an error says: the name of its shared response, a sentence, and what is wrong where that is known. */
export type Refusal = { readonly name: string; readonly description: string; readonly violation?: Violation };

type ErrorBody = {
  readonly name: string;
  readonly mediaType: string;
  schema(components: Components): Schema;
  example(status: number, refusal: Refusal): unknown;
};

/** The body of an error under each option of `errors.form`. */
export const ERROR_BODIES: Readonly<Record<Profile['errors.form'], ErrorBody | undefined>> = {
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

/** Refers to the schema of an error's body. */
export function referToError(body: ErrorBody, components: Components): SchemaReference {
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
