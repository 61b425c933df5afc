import { ERROR_TYPES, PHRASES } from '../../spec/binding.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { Schema } from '../schemas/schema.ts';

/** What an error says: the name of its shared response, a sentence, and the message of a violation where it has some. */
export type Refusal = { readonly name: string; readonly description: string; readonly violation?: string };

type ErrorBody = {
  readonly name: string;
  readonly mediaType: string;
  schema(): Schema;
  example(status: number, refusal: Refusal): unknown;
};

/** The body of an error under each option of `errors.form`. */
export const ERROR_BODIES: Readonly<Record<Profile['errors.form'], ErrorBody | undefined>> = {
  problem: {
    name: 'ProblemDetails',
    mediaType: ERROR_TYPES.problem,
    schema: () => ({
      type: 'object',
      description: 'A problem (RFC 9457) with all violations of the request.',
      required: ['title', 'status'],
      properties: {
        type: { type: 'string', format: 'uri-reference' },
        title: { type: 'string' },
        status: { type: 'integer' },
        detail: { type: 'string' },
        violations: violationsSchema(),
      },
    }),
    example: (status, refusal) => ({
      type: 'about:blank',
      title: PHRASES[status] ?? refusal.name,
      status,
      detail: refusal.description,
      ...violationsExample(refusal),
    }),
  },
  simple: {
    name: 'ErrorDetails',
    mediaType: ERROR_TYPES.simple,
    schema: () => ({
      type: 'object',
      description: 'What is wrong, with all violations of the request.',
      required: ['error'],
      properties: { error: { type: 'string' }, violations: violationsSchema() },
    }),
    example: (_status, refusal) => ({ error: refusal.description, ...violationsExample(refusal) }),
  },
  empty: undefined,
};

function violationsSchema(): Schema {
  return {
    type: 'array',
    items: {
      type: 'object',
      required: ['pointer', 'message'],
      properties: {
        pointer: { type: 'string', description: 'JSON pointer to the field in the body.' },
        message: { type: 'string' },
      },
    },
  };
}

function violationsExample({ violation }: Refusal): { violations?: { pointer: string; message: string }[] } {
  return violation === undefined ? {} : { violations: [{ pointer: '/name', message: violation }] };
}
