import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { type ConnectionError, codeOf, type Exchange, NoAnswer, redirectOf } from './exchange.ts';
import { parseBaseUrl, type Target } from './target.ts';

/** Where a service is. The suite treats a service on this machine as disposable. */
export type ServiceAddress = {
  readonly isHere: boolean;
  /** The addresses of the host; empty if the DNS lookup failed. */
  readonly addresses: readonly LookupAddress[];
  /** Why the DNS lookup failed, such as ENOTFOUND. */
  readonly failure?: string;
};

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Returns where a base URL leads: to this machine only if every address of its host is a loopback address, because a name
 * such as `prod.localhost` proves nothing. Throws UsageError for an invalid base URL.
 */
export async function locate(
  baseUrl: string,
  resolve: (host: string) => Promise<readonly LookupAddress[]> = (host) => lookup(host, { all: true }),
): Promise<ServiceAddress> {
  const host = new URL(parseBaseUrl(baseUrl)).hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  try {
    const addresses = family ? [{ address: host, family }] : await resolve(host);
    const isLoopback = ({ address, family }: LookupAddress) =>
      LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4');
    return { isHere: addresses.length > 0 && addresses.every(isLoopback), addresses };
  } catch (error) {
    // The caller decides: behind an HTTP proxy, only the proxy has to know the name.
    return { isHere: false, addresses: [], failure: codeOf(error as ConnectionError) };
  }
}

/**
 * Whether the target is a service on this machine, whose records a case may risk: `isHere` says so, or else the host of
 * its URL does. A forwarded response rules it out, because the service can be anywhere then.
 */
export function isDisposable(
  { relay, url }: { readonly url: string; readonly relay?: () => string | undefined },
  isHere?: boolean,
): boolean {
  const isLocal = isHere ?? ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(url).hostname);
  return isLocal && relay?.() === undefined;
}

/** Returns the error for a host without an address: a usage error for an unknown name, else a target that can't be reached. */
export function noAddress(baseUrl: string, failure: string): UsageError | NoAnswer {
  const host = new URL(baseUrl).hostname;
  if (failure === 'ENOTFOUND')
    return new UsageError(
      `The host "${host}" does not exist: DNS has no address for it. Check the base URL.`,
    );
  return new NoAnswer(
    `DNS did not answer for the host "${host}" (${failure}); check the network and try again`,
    failure,
  );
}

/** Returns the error for a service that might hold real data; `safe` is the flag that only reads. */
export function needDecision(target: string, why: string, safe = '--read-only'): UsageError {
  return new UsageError(
    `${target} might hold real data, because ${why}. Choose one:\n  ${safe.padEnd(11)}  send only GET requests\n  --write      also create, change, and delete records`,
  );
}

/** Throws UsageError for an invalid proxy URL. The message never repeats it, because it might hold a password. */
export function checkProxyUrl(text: string, source: string): void {
  const { hostname, protocol = '' } = URL.parse(text) ?? {};
  if (hostname && /^(https?|socks5?):$/.test(protocol)) return;
  throw new UsageError(
    `The variable ${source} is not a proxy URL. Set it to a URL such as http://127.0.0.1:3128.`,
  );
}

/** A gateway, or the service itself, says that the service does not work for now. */
const UNAVAILABLE = [502, 503, 504];

/**
 * Sends one list request before all others, so that a missing target, a wrong base URL, or wrong credentials are one error
 * and not a thousand failures. After a 403 or a redirect it tries the lists of all selected models, after a 404, 502,
 * 503, or 504 those of all models. Throws NoAnswer and UsageError.
 */
export async function ping(
  target: Target,
  { base, models }: Catalogue,
  /** The names of the selected models; a service might have no other one. */
  selected: ReadonlySet<string> = new Set(models.keys()),
): Promise<void> {
  const listed = [...models.values()].filter(({ operations }) => operations.includes('list'));
  const chosen = listed.filter(({ name }) => selected.has(name)).map(({ name }) => name);
  const names = chosen.length > 0 ? chosen : [...selected];
  const asked: string[] = [];
  const statuses = new Set<number>();
  let location = '';
  for (const name of names) if (await isReadable(name)) return;
  // The selected models might be the ones that are not built yet, or that are broken.
  if (statuses.has(404) || isUnavailable())
    for (const { name } of listed) if (!names.includes(name) && (await isReadable(name))) return;
  const returned = `The service returned ${[...statuses].toSorted().join(' or ')} to the list of`;
  const all = asked.length === 1 ? asked[0] : `each of ${asked.length} models`;
  if (isUnavailable())
    throw new NoAnswer(`${returned} each of ${asked.length} models; try again later`, '', true);
  const wayOut = statuses.has(404)
    ? `, such as GET ${target.url}${base}/${asked[0]}. Pass the part of its address before ${base} as the base URL. If no model is built yet, build one first.`
    : `${location}. Pass credentials that can read, with --bearer, --basic, or --api-key.`;
  throw new UsageError(`${returned} ${all}${wayOut}`);

  function isUnavailable(): boolean {
    return UNAVAILABLE.some((status) => statuses.has(status)) && !statuses.has(404);
  }

  /** Whether the service returns the list. Throws UsageError if the response shows what is wrong. */
  async function isReadable(name: string): Promise<boolean> {
    const path = `${base}/${name}`;
    const exchanges: Exchange[] = [];
    const { status } = await target.send({ method: 'GET', path }, (exchange) => exchanges.push(exchange));
    for (const exchange of exchanges) {
      const wrong = wrongAddress(target.url, base, path, exchange);
      if (wrong !== undefined) throw new UsageError(wrong);
      const { address } = redirectOf(exchange, path) ?? {};
      if (address !== undefined) location = ` and redirects to ${address}`;
    }
    asked.push(name);
    statuses.add(status);
    return ![403, 404, ...UNAVAILABLE].includes(status) && (status < 300 || status > 399);
  }
}

/** Returns what is wrong with a base URL and what to pass instead. */
function wrongAddress(url: string, base: string, path: string, exchange: Exchange): string | undefined {
  const { status } = exchange.response;
  const asked = `GET ${url}${path} returned ${status}`;
  const at = `${url}/`.indexOf(`${base}/`, new URL(url).origin.length);
  if (status === 404 && at >= 0)
    return `${asked}. The base URL contains ${base}, which the requests add. Pass ${url.slice(0, at)} as the base URL.`;
  if (status === 421)
    return `${asked} (Misdirected Request): the service does not accept the hostname ${new URL(url).hostname}. Use another hostname, or let the service accept this one (the mock: --allow-host).`;
  const { address, baseUrl } = redirectOf(exchange, path) ?? {};
  if (baseUrl !== undefined)
    return `${asked} and redirects to ${address}. Redirects are not followed. Pass ${baseUrl} as the base URL.`;
  if (address === `${url}${path}/`)
    return `${asked} and redirects to the same path with a slash at the end. Redirects are not followed, because a write would lose its body. Let the service accept paths without this slash (Django REST framework: trailing_slash=False of the router).`;
  return undefined;
}
