import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { type Exchange, redirectOf } from './exchange.ts';
import type { Target } from './target.ts';

/**
 * Sends one list request before all others, so that a missing target, a wrong base URL, or wrong credentials are one error
 * and not a thousand failures. After a 403 it tries the lists of all selected models. Throws NoAnswer and UsageError.
 */
export async function ping(
  target: Target,
  { base, models }: Catalogue,
  /** The names of the selected models; a service might have no other one. */
  selected: ReadonlySet<string> = new Set(models.keys()),
): Promise<void> {
  const lists = [...models.values()].filter(
    ({ name, operations }) => selected.has(name) && operations.includes('list'),
  );
  const names = lists.length > 0 ? lists.map(({ name }) => name) : [...selected];
  for (const name of names) {
    const path = `${base}/${name}`;
    const exchanges: Exchange[] = [];
    const { status } = await target.send({ method: 'GET', path }, (exchange) => exchanges.push(exchange));
    for (const exchange of exchanges) {
      const wrong = wrongAddress(target.url, base, path, exchange);
      if (wrong !== undefined) throw new UsageError(wrong);
    }
    if (status !== 403) return;
  }
  throw new UsageError(
    `The service returned 403 to the list of ${names.length === 1 ? names[0] : `each of ${names.length} models`}. Pass credentials that can read, with --bearer, --basic, or --api-key.`,
  );
}

/** Returns what is wrong with a base URL and what to pass instead. */
function wrongAddress(url: string, base: string, path: string, exchange: Exchange): string | undefined {
  const { status } = exchange.response;
  const asked = `GET ${url}${path} returned ${status}`;
  const at = `${url}/`.indexOf(`${base}/`, new URL(url).origin.length);
  if (status === 404 && at >= 0)
    return `${asked}. The base URL ${url.endsWith(base) ? 'ends with' : 'contains'} ${base}, which the requests add. Pass ${url.slice(0, at)} as the base URL.`;
  if (status === 421)
    return `${asked} (Misdirected Request): the service does not accept the hostname ${new URL(url).hostname}. Use another hostname, or let the service accept this one (the mock: --allow-host).`;
  const { address, baseUrl } = redirectOf(exchange, path) ?? {};
  if (baseUrl !== undefined)
    return `${asked} and redirects to ${address}. Redirects are not followed. Pass ${baseUrl} as the base URL.`;
  if (address === `${url}${path}/`)
    return `${asked} and redirects to the same path with a slash at the end. Redirects are not followed, because a write would lose its body. Let the service accept paths without this slash (Django REST framework: trailing_slash=False of the router).`;
  return undefined;
}
