import { isText } from '../../../spec/types/types.ts';
import { isAccepted } from '../../api/answer.ts';
import { pathOf } from '../../api/api.ts';
import { expectAccepted, expectRefused, statusOf } from '../../assert/assert.ts';
import { Failure, Skip, speaksAnother } from '../../assert/failure.ts';
import { type Assumption, type CaseContext, once, onceWhere } from '../../plan/rule.ts';
import { writableFields } from '../../records/values/values.ts';
import { plainList } from '../questions/shared.ts';
import { createWith } from '../support/invalid-requests.ts';
import { transitionCases } from './transitions.ts';

/** What a client has to bring and to keep to under the profile: `auth.*`, `version.*`, `transitions`, `limits.*`. */
export const profileLimitRules: readonly Assumption[] = [
  {
    title: 'A request without credentials gets 401 or not, as set in the profile',
    requirement: 'authentication-not-shown',
    setting: 'auth.scheme',
    needs: ['list'],
    cases: once(expectScheme),
  },
  {
    title: 'The service requires the version label only at the place set in the profile',
    requirement: 'version-not-shown',
    setting: 'version.in',
    needs: ['list'],
    cases: once(expectVersionPlace),
  },
  {
    title: 'A status field changes only as the profile allows',
    requirement: 'transitions-not-shown',
    setting: 'transitions',
    needs: ['create', 'retrieve', 'update'],
    cases: (model, { profile }) => model.fields.flatMap((field) => transitionCases(field, profile)),
  },
  {
    title: 'A string of the maximum length is accepted, and a longer one is rejected',
    requirement: 'limits-not-shown',
    setting: 'limits.text',
    needs: ['create'],
    cases: (model, { profile }) => {
      const longest = profile['limits.text'];
      if (longest === 'none') return [];
      return writableFields(model)
        .filter(isText)
        .map((field) => ({
          field,
          run: async (context) => {
            // Each text is another one, since it may have to be unique.
            const ofLength = (length: number) =>
              String(context.samples.otherValue(field, null) ?? '').padEnd(length, 'x');
            expectAccepted(
              await createWith(context, { [field.name]: ofLength(longest) }),
              `${longest} characters`,
            );
            expectRefused(
              await createWith(context, { [field.name]: ofLength(longest + 1) }),
              `${longest + 1} characters`,
            );
          },
        }));
    },
  },
  {
    title: 'Requests above the rate limit of the profile get 429',
    requirement: 'limits-not-shown',
    setting: 'limits.rate',
    needs: ['list'],
    // One case a run: the limit is one of the service, not of a model.
    cases: onceWhere(
      ({ catalogue, profile }, model) =>
        profile['limits.rate'] !== 'none' && model === [...catalogue.models.values()][0],
      async () => {
        throw new Skip('the suite sends no burst of requests to find a limit');
      },
    ),
  },
];

async function expectScheme({ api, model, profile }: CaseContext): Promise<void> {
  const scheme = profile['auth.scheme'];
  const answer = await api.send({ method: 'GET', path: pathOf(model.name), without: 'credentials' });
  if ((answer.status === 401) !== (scheme !== 'none'))
    throw new Failure(
      'a request without credentials returns another status',
      scheme === 'none' ? 'any status but 401' : 'status 401',
      statusOf(answer),
      answer.exchange,
    );
  const asked = [...(answer.headers['www-authenticate'] ?? '').matchAll(SCHEME)].map(([, name = '']) => name);
  if (asked.length > 0 && !asked.some((name) => name.toLowerCase() === scheme.toLowerCase()))
    throw speaksAnother('auth.scheme', profile, asked.join(' or '), answer.exchange);
}

/** The schemes that a challenge names (RFC 9110, 11.6.1), of those that the profile knows. */
const SCHEME = /(?:^|,)\s*(bearer|basic|apikey)(?=\s|,|$)/gi;

async function expectVersionPlace(context: CaseContext): Promise<void> {
  const { api, model, profile } = context;
  const place = profile['version.in'];
  const without = await api.send({ method: 'GET', path: pathOf(model.name), without: 'version' });
  if (place !== 'none') expectRefused(without, 'a request without the version');
  if (isAccepted(await context.ask(plainList))) return;
  for (const other of ['header', 'query'] as const) {
    if (other === place || !isAccepted(await api.under({ 'version.in': other }).list(model.name))) continue;
    throw speaksAnother('version.in', profile, `version.in ${other}`);
  }
}
