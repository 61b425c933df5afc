import type { Field } from '../../spec/field.ts';
import type { Profile } from '../../spec/profile.ts';
import { pathOf } from '../api.ts';
import type { CaseContext } from '../context.ts';
import { createWith, expectAccepted, expectRefused, statusOf } from '../expect.ts';
import { type Case, Failure, once, type Rule, Skip } from '../rule.ts';
import { writableFields } from '../values.ts';

/** What a client has to bring and to keep to under the profile: `auth.*`, `version.*`, `transitions`, `limits.*`. */
export const profileLimitRules: readonly Rule[] = [
  {
    id: 'profile.auth.scheme',
    title: 'A request without credentials is answered with 401',
    requirement: 'authentication-not-shown',
    level: 'assumed',
    setting: 'auth.scheme',
    needs: ['list'],
    cases: (model, { profile }) =>
      profile['auth.scheme'] === 'none'
        ? []
        : once(async ({ api }) => {
            const answer = await api.send({
              method: 'GET',
              path: pathOf(model.name),
              without: 'credentials',
            });
            if (answer.status !== 401)
              throw new Failure('a request without credentials', 'status 401', statusOf(answer));
          })(),
  },
  {
    id: 'profile.version.in',
    title: 'A request without the version label is refused',
    requirement: 'version-not-shown',
    level: 'assumed',
    setting: 'version.in',
    needs: ['list'],
    cases: (model, { profile }) =>
      profile['version.in'] === 'none'
        ? []
        : once(async ({ api }) => {
            expectRefused(
              await api.send({ method: 'GET', path: pathOf(model.name), without: 'version' }),
              'a request without the version',
            );
          })(),
  },
  {
    id: 'profile.transitions',
    title: 'A status field moves where the profile allows it, and nowhere else',
    requirement: 'transitions-not-shown',
    level: 'assumed',
    setting: 'transitions',
    needs: ['create', 'retrieve', 'update'],
    cases: (model, { profile }) => model.fields.flatMap((field) => transitionCases(field, profile)),
  },
  {
    id: 'profile.limits.text',
    title: 'A text of the greatest length is taken, a longer one refused',
    requirement: 'limits-not-shown',
    level: 'assumed',
    setting: 'limits.text',
    needs: ['create'],
    cases: (model, { profile }) => {
      const longest = profile['limits.text'];
      if (longest === 'none') return [];
      return writableFields(model)
        .filter(({ type }) => ['string', 'text', 'markdown'].includes(type))
        .map((field) => ({
          field,
          run: async (context) => {
            expectAccepted(
              await createWith(context, { [field.name]: 'x'.repeat(longest) }),
              `${longest} characters`,
            );
            expectRefused(
              await createWith(context, { [field.name]: 'x'.repeat(longest + 1) }),
              `${longest + 1} characters`,
            );
          },
        }));
    },
  },
  {
    id: 'profile.limits.rate',
    title: 'More requests a second than the profile allows are answered with 429',
    requirement: 'limits-not-shown',
    level: 'assumed',
    setting: 'limits.rate',
    needs: ['list'],
    // One case a run: the limit is one of the service, not of a model.
    cases: (model, { catalogue, profile }) =>
      profile['limits.rate'] === 'none' || model !== [...catalogue.models.values()][0]
        ? []
        : once(async () => {
            throw new Skip('a burst of requests is not sent to a service to find its limit');
          })(),
  },
];

function transitionCases(field: Field, profile: Profile): Case[] {
  const moves = profile.transitions === 'any' ? undefined : profile.transitions[field.key];
  if (!moves) return [];
  return Object.entries(moves).flatMap(([from, targets]) =>
    (field.choices ?? [])
      .filter(({ value }) => String(value) !== from)
      .map(({ value }) => ({
        field,
        detail: `${from}-${value}`,
        run: async (context: CaseContext) => {
          const start = field.choices?.find((choice) => String(choice.value) === from)?.value ?? from;
          const { id, sent } = await context.make({ ...context.values('required'), [field.name]: start });
          const answer = await context.update(id, { [field.name]: value }, sent);
          if (targets.some((target) => String(target) === String(value)))
            expectAccepted(answer, `the move from ${from} to ${value}`);
          else expectRefused(answer, `the move from ${from} to ${value}`);
        },
      })),
  );
}
