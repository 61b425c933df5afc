import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import type { TargetRequest } from '../../target/target.ts';
import { type Findings, found, unknown } from '../finding.ts';
import { describe } from './quoting.ts';

/** Sends a GET of a list, as it is or with something more or less. */
export type Look = (more?: Partial<TargetRequest>) => Promise<Answer>;

/** Names of headers and query parameters that interfaces use for their version. */
const HEADERS = ['Api-Version', 'X-Api-Version', 'Accept-Version', 'Version', 'X-Version'];
const PARAMETERS = ['version', 'api-version', 'api_version', 'apiVersion', 'v', 'Api-Version'];
const MOST_MENTIONED = 6;

/** What has to be sent with every request, where something has to. */
type Version = { readonly findings: Findings; readonly request?: Pick<TargetRequest, 'headers' | 'query'> };

/** Looks for the place of the version label, starting from the answer to a request without it. */
export async function findVersion(without: Answer, look: Look, label: string): Promise<Version> {
  if (isAccepted(without)) return { findings: { 'version.in': found('none', without) } };
  if (!isRefused(without) || without.status === 404)
    return { findings: { 'version.in': unknown(`without a version, ${describe(without)}`) } };
  const mentioned = mentionedIn(without);
  const places = [
    ...[...mentioned, ...HEADERS].map((name) => ({
      place: 'header',
      name,
      request: { headers: { [name]: label } },
    })),
    ...[...mentioned, ...PARAMETERS].map((name) => ({
      place: 'query',
      name,
      request: { query: { [name]: label } },
    })),
  ] as const;
  for (const { place, name, request } of places) {
    const seen = await look(request);
    // 401 is progress too: next the service looks at who asks.
    if (isAccepted(seen) || seen.status === 401)
      return {
        findings: { 'version.in': found(place, without), 'version.name': found(name, seen) },
        request,
      };
  }
  const reason = `without a version, ${describe(without)}; none of ${places.length} headers and parameters with ${label} changes the response`;
  return { findings: { 'version.in': unknown(reason) } };
}

/** The names with "version" in them that a refusal mentions. */
function mentionedIn({ body }: Answer): string[] {
  const words = body.slice(0, 10_000).match(/[A-Za-z][A-Za-z0-9_-]{0,63}/g) ?? [];
  return [...new Set(words.filter((word) => /version/i.test(word)))].slice(0, MOST_MENTIONED);
}
