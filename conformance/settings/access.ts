import type { Model } from '../../spec/catalogue/catalogue.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { headerIn, placeIn } from '../../spec/profile/profile.ts';
import { type ApiResponse, isAccepted, isRefused } from '../api/answer.ts';
import { operationOf, pathOf, written } from '../api/api.ts';
import { failure, speaksAnother } from '../assert/ending.ts';
import { expectRefused, statusOf } from '../cases/assert.ts';
import type { Assumption, CaseContext } from '../cases/rule.ts';
import { oneLine } from '../results/text.ts';
import { plainList } from '../rules/shared.ts';
import { NoAnswer } from '../target/exchange.ts';
import type { TargetRequest } from '../target/target.ts';
import { describe, exchangeLine, type Findings, found, unknown } from './observation.ts';
import type { Probe, ProbeContext } from './probe.ts';

/** Names of headers and query parameters that interfaces use for their version. */
const NAMES = {
  header: ['Api-Version', 'X-Api-Version', 'Accept-Version', 'Version', 'X-Version'],
  query: ['version', 'api-version', 'api_version', 'apiVersion', 'v', 'Api-Version'],
};

const MOST_MENTIONED = 6;

/** Who may ask (section 5), and how the version is named (section 9): without both nothing else can be seen. */
export const accessProbe: Probe = {
  settings: ['auth', 'version'],
  async run(context) {
    const look = await findEndpoint(context);
    const anonymous = await look({ without: 'credentials' });
    const known = await look();
    const { findings, named = known, request } = await findVersion(known, look, context.catalogue.version);
    if (named.status === 401) throw notLetIn(context, named, anonymous);
    // The service may have looked at the version first; now it looks at who asks.
    const refused = request ? await look({ ...request, without: 'credentials' }) : anonymous;
    return { ...findings, ...judgeCredentials(context, named, refused) };
  },
};

/** Credentials and the version label under the profile. */
export const accessRules: readonly Assumption[] = [
  {
    title: 'A request without credentials gets 401 or not, as set in the profile',
    requirement: 'authentication-not-shown',
    setting: 'auth',
    needs: ['list'],
    judge: expectScheme,
  },
  {
    title: 'The service requires the version label only at the place set in the profile',
    requirement: 'version-not-shown',
    setting: 'version',
    needs: ['list'],
    judge: expectVersionPlace,
  },
];

/** One model may be unavailable; with two of them, the service is. */
const MOST_UNAVAILABLE = 2;

/** Returns a look at the list of a model that is built. Throws NoAnswer if the service is unavailable. */
async function findEndpoint({ api, catalogue, isSelected }: ProbeContext): Promise<Look> {
  const models = [...catalogue.models.values()]
    .filter(({ operations }) => operations.includes('list'))
    .toSorted((one, other) => Number(isSelected(other)) - Number(isSelected(one)));
  const lookAt = ({ name }: Model, more: Partial<TargetRequest> = {}) =>
    api.send({ method: 'GET', path: pathOf(name), ...more });
  let unavailable = 0;
  for (const model of models) {
    const seen = await lookAt(model);
    const line = `${exchangeLine(seen.exchange)}: the service is unavailable. Try again later.`;
    // Retries of such a service would take minutes and show nothing.
    if (seen.status === 503 && ++unavailable === MOST_UNAVAILABLE) throw new NoAnswer(line, '', true);
    if (![404, 501, 503].includes(seen.status)) return (more) => lookAt(model, more);
  }
  const [first] = models;
  if (first) return (more) => lookAt(first, more);
  throw new UsageError('The catalogue has no model with a list operation. Add one to the catalogue.');
}

function judgeCredentials({ credentials }: ProbeContext, known: ApiResponse, anonymous: ApiResponse) {
  if (isAccepted(anonymous)) return { auth: found('none', anonymous) };
  if (anonymous.status !== 401) return { auth: unknown(`without credentials, ${describe(anonymous)}`) };
  const asked = challengeIn(anonymous);
  const [own] = secretHeaders(known).filter((name) => name !== 'authorization');
  const scheme = asked.scheme ?? credentials ?? (own === undefined ? undefined : 'apiKey');
  const header = asked.header ?? own;
  if (scheme !== undefined && scheme !== 'apiKey') return { auth: found(scheme, anonymous) };
  if (scheme === undefined || header === undefined)
    return { auth: unknown(`${anonymous.asked} returned 401, and names no scheme or header`) };
  return { auth: found(`header ${writeHeaderName(header)}`, anonymous) };
}

/** The schemes that a challenge names (RFC 9110, 11.6.1), of those that the profile knows, in lower case. */
function schemesIn({ headers }: ApiResponse): string[] {
  const named = (headers['www-authenticate'] ?? '').matchAll(/(?:^|,)\s*(bearer|basic|apikey)(?=\s|,|$)/gi);
  return [...named].map(([, scheme = '']) => scheme.toLowerCase());
}

/** The credentials that a 401 asks for. `word` precedes the key, as in `Authorization: Token VALUE`. */
type Challenge = {
  readonly scheme?: 'bearer' | 'basic' | 'apiKey';
  readonly header?: string | undefined;
  readonly word?: string | undefined;
};

/** Returns what a 401 asks for. Any scheme except Bearer and Basic counts as an API key. */
function challengeIn(seen: ApiResponse): Challenge {
  const standard = schemesIn(seen).find((name) => name === 'bearer' || name === 'basic');
  if (standard) return { scheme: standard };
  const challenge = shownChallenge(seen);
  if (challenge.trim() === '') return {};
  const header = /\b(?:header|name|param|parameter)="?([A-Za-z][A-Za-z0-9_-]{0,63})/i.exec(challenge)?.[1];
  if (header !== undefined) return { scheme: 'apiKey', header };
  const word = /^\s*([A-Za-z][\w-]{0,63})(?=\s|,|$)/.exec(challenge)?.[1];
  return word === undefined || /key/i.test(word)
    ? { scheme: 'apiKey' }
    : { scheme: 'apiKey', header: 'Authorization', word };
}

/** The challenge as it may be shown: some repeat what they were sent. */
function shownChallenge({ exchange }: ApiResponse): string {
  return exchange.response.headers['www-authenticate'] ?? '';
}

/** The names of the headers that prove who asks; the target shows them without their values. */
function secretHeaders({ exchange }: ApiResponse): string[] {
  return Object.entries(exchange.request.headers).flatMap(([name, value]) =>
    value === '[redacted]' ? name.toLowerCase() : [],
  );
}

/** `x-api-key` as people write it: X-Api-Key. */
export function writeHeaderName(name: string): string {
  return name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

function notLetIn({ credentials }: ProbeContext, known: ApiResponse, anonymous: ApiResponse): UsageError {
  const refused = anonymous.status === 401 ? anonymous : known;
  const { header = 'NAME', scheme, word } = challengeIn(refused);
  const flags = {
    bearer: '--bearer TOKEN',
    basic: '--basic USER:PASSWORD',
    apiKey: word === undefined ? `--api-key ${header}=VALUE` : `--api-key '${header}=${word} VALUE'`,
  };
  const flag = scheme ? flags[scheme] : Object.values(flags).join(', ');
  const asks = shownChallenge(known) && ` (WWW-Authenticate: ${oneLine(shownChallenge(known), 200)})`;
  const given = credentials !== undefined || secretHeaders(known).length > 0;
  return new UsageError(
    `${known.asked} returned 401${asks}. The service ${given ? 'rejects these credentials' : `requires credentials${scheme ? ` of the scheme ${scheme}` : ''}`}. Pass ${flag}.`,
  );
}

/** Sends a GET of a list, as it is or with something more or less. */
type Look = (more?: Partial<TargetRequest>) => Promise<ApiResponse>;

/** The place of the version label, the part of a request that carries it if the service requires it, and the response. */
type Version = {
  readonly findings: Findings;
  readonly request?: Pick<TargetRequest, 'headers' | 'query'>;
  readonly named?: ApiResponse;
};

/** Looks for the place of the version label, starting from the answer to a request without it. */
async function findVersion(without: ApiResponse, look: Look, label: string): Promise<Version> {
  if (isAccepted(without)) return { findings: { version: found('none', without) } };
  if (!isRefused(without) || [401, 404].includes(without.status))
    return { findings: { version: unknown(`without a version, ${describe(without)}`) } };
  const mentioned = mentionedIn(without);
  for (const place of ['header', 'query'] as const)
    for (const name of [...mentioned, ...NAMES[place]]) {
      const request = { [place === 'header' ? 'headers' : 'query']: { [name]: label } };
      const seen = await look(request);
      // 401 is progress too: next the service looks at who asks.
      if (isAccepted(seen) || seen.status === 401)
        return { findings: { version: found(`${place} ${name}`, seen) }, named: seen, request };
    }
  const reason = `without a version, ${describe(without)}; no usual header or parameter with ${label} changes the response`;
  return { findings: { version: unknown(reason) } };
}

/** The names with "version" in them that a refusal mentions. */
function mentionedIn({ body }: ApiResponse): string[] {
  const words = body.slice(0, 10_000).match(/[A-Za-z][A-Za-z0-9_-]{0,63}/g) ?? [];
  return [...new Set(words.filter((word) => /version/i.test(word)))].slice(0, MOST_MENTIONED);
}

async function expectScheme(context: CaseContext): Promise<void> {
  const { codec, model, profile, readOnly, records } = context;
  const all = pathOf(model.name);
  await expectAsked(context, { method: 'GET', path: all });
  if (profile.auth === 'none' || readOnly || !model.operations.includes('create')) return;
  const { id, sent } = await records.make();
  const [one, body] = [pathOf(model.name, id), written(codec.encodeNamed(model.name, sent), profile)];
  for (const [method, path] of [
    ['GET', one],
    ['POST', one],
    ['POST', all],
    ['DELETE', one],
  ] as const) {
    const operation = operationOf(method, path === one);
    if (operation && model.operations.includes(operation))
      await expectAsked(context, { method, path, ...(method === 'POST' ? body : {}) });
  }
}

async function expectAsked({ api, profile, records }: CaseContext, request: TargetRequest): Promise<void> {
  const scheme = headerIn(profile.auth) === undefined ? profile.auth : 'apiKey';
  const answer = await api.send({ ...request, without: 'credentials' });
  if (request.method === 'POST') records.adopt(answer);
  if ((answer.status === 401) !== (scheme !== 'none'))
    throw failure(
      `${answer.asked} without credentials returns another status`,
      scheme === 'none' ? 'any status but 401' : 'status 401',
      statusOf(answer),
      answer.exchange,
    );
  const asked = schemesIn(answer);
  if (asked.length > 0 && !asked.includes(scheme.toLowerCase()))
    throw speaksAnother('auth', profile, asked.join(' or '), answer.exchange);
}

async function expectVersionPlace(context: CaseContext): Promise<void> {
  const { api, catalogue, model, profile } = context;
  const place = placeIn(profile.version);
  const look: Look = (more) =>
    api.send({ method: 'GET', path: pathOf(model.name), without: 'version', ...more });
  const without = await look();
  if (place) expectRefused(without, 'a request without the version');
  if (isAccepted(await context.ask(plainList))) return;
  const { findings } = await findVersion(without, look, catalogue.version);
  const { version } = findings;
  if (version?.kind === 'found' && version.value !== profile.version)
    throw speaksAnother('version', profile, String(version.value));
}
