import { expect, it } from 'vitest';
import { envelopeSchema } from './success-response.ts';

it('is the part itself at the empty pointer', () => {
  expect(envelopeSchema([['', { type: 'integer' }]])).toEqual({ type: 'integer' });
});

it('has a schema that asks for every step', () => {
  expect(envelopeSchema([['/data/record', { type: 'object' }]])).toEqual({
    type: 'object',
    required: ['data'],
    properties: {
      data: { type: 'object', required: ['record'], properties: { record: { type: 'object' } } },
    },
  });
});
