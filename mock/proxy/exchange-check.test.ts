import { describe, expect, test } from 'vitest';
import { generateDocument } from '../../generator/generate.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { type CheckExchange, createExchangeCheck } from './exchange-check.ts';
import type { Forwarded } from './forward.ts';

/** An answer as it comes back from a service. */
function answerOf(status: number, body: unknown): Forwarded {
  const headers = { 'content-type': 'application/json', 'x-total-count': '1' };
  const reply = { status, headers, body: JSON.stringify(body) };
  return { reply, headers, content: { kind: 'value', value: body } };
}

async function violationsOf(check: CheckExchange, method: string, target: string, answer: Forwarded) {
  const sent = method === 'POST' ? { body: Buffer.from('{}') } : {};
  const request = { method, target, headers: { 'content-type': 'application/json' }, ...sent };
  const { violations } = await check(request, () => Promise.resolve(answer));
  return violations.filter(({ location }) => location[0] === 'response').map(({ message }) => message);
}

// Prism takes a schema that does not compile for one that everything fits.
describe('every operation of the document', () => {
  const profile = createProfile({}, catalogue);
  const { components, paths } = generateDocument({ catalogue, profile, references });
  const checking = createExchangeCheck({ catalogue, profile, references }, 1000);
  test.each([...catalogue.models.values()].map((model) => [model.name, model] as const))(
    'takes a record of %s as answer and nothing else',
    async (name, model) => {
      const check = await checking;
      const path = `${catalogue.base}/${name}`;
      const shown = JSON.stringify(paths[`${path}/{id}`]?.get?.responses?.['200']);
      const [, named = ''] = /#\/components\/examples\/(\w+)/.exec(shown) ?? [];
      const example = (components.examples?.[named] ?? {}) as { value?: unknown };
      for (const operation of model.operations) {
        const method = { retrieve: 'GET', list: 'GET', create: 'POST', update: 'POST', delete: 'DELETE' }[
          operation
        ];
        const target = operation === 'list' || operation === 'create' ? path : `${path}/1`;
        const status = operation === 'create' ? 201 : 200;
        const [right, wrong] =
          operation === 'list' ? [[example.value], [{ id: 'x' }]] : [example.value, { id: 'x' }];
        expect(await violationsOf(check, method, target, answerOf(status, right))).toEqual([]);
        expect(await violationsOf(check, method, target, answerOf(status, wrong))).not.toEqual([]);
      }
    },
  );

  test('has a body that is checked where it takes one', async () => {
    const check = await checking;
    for (const model of catalogue.models.values())
      for (const operation of ['create', 'update'] as const) {
        if (!model.operations.includes(operation)) continue;
        const target = `${catalogue.base}/${model.name}${operation === 'update' ? '/1' : ''}`;
        const headers = { 'content-type': 'application/json' };
        const request = { method: 'POST', target, headers, body: Buffer.from('{"no such field":1}') };
        const { violations } = await check(request, () => Promise.resolve(answerOf(200, {})));
        expect(violations).toContainEqual(
          expect.objectContaining({
            location: ['request', 'body', 'no such field'],
            code: 'additionalProperties',
          }),
        );
      }
  });
});
