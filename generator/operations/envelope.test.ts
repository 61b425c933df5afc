import { expect, it } from 'vitest';
import { envelope, envelopeSchema } from './envelope.ts';

it('is the part itself at the empty pointer', () => {
  expect(envelope([['', [1]]])).toEqual([1]);
  expect(envelopeSchema([['', { type: 'integer' }]])).toEqual({ type: 'integer' });
});

it('nests parts that share the way', () => {
  expect(
    envelope([
      ['/result/records', []],
      ['/result/meta/total', 0],
    ]),
  ).toEqual({ result: { records: [], meta: { total: 0 } } });
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
