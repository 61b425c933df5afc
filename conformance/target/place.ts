import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { UsageError } from '../../spec/files/usage-error.ts';
import { type ConnectionError, codeOf, NoAnswer } from './exchange.ts';

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
  resolve: (host: string) => Promise<readonly LookupAddress[]> = resolveAll,
): Promise<ServiceAddress> {
  const host = new URL(parseBaseUrl(baseUrl)).hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  try {
    const addresses = family ? [{ address: host, family }] : await resolve(host);
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

function resolveAll(host: string): Promise<LookupAddress[]> {
  return lookup(host, { all: true });
}

function isLoopback({ address, family }: LookupAddress): boolean {
  return LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Returns a lookup that always gives these addresses, so that a name can't lead elsewhere later. */
export function pinned(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, _options, callback) => {
    callback(null, [...addresses]);
  };
}

/** Returns the error for a service that might hold real data; `safe` is the flag that only reads. */
export function needDecision(target: string, why: string, safe = '--read-only'): UsageError {
  return new UsageError(
    `${target} might hold real data, because ${why}. Choose one:\n  ${safe.padEnd(11)}  send only GET requests\n  --write      also create, change, and delete records`,
  );
}

/** Returns the base URL without its last slash. Throws UsageError if it is invalid or holds credentials. */
export function parseBaseUrl(text: string): string {
  const found = URL.parse(text);
  const url = found && /^https?:$/.test(found.protocol) ? found : undefined;
  // This check comes first so that no later message repeats a secret. A password with a slash is not a valid URL.
  if (url ? url.username || url.password : text.includes('@'))
    throw new UsageError(
      'The base URL contains a user name or password. Pass --basic USER:PASSWORD instead.',
    );
  if (/[?#]/.test(text))
    throw new UsageError(
      'The base URL contains a query or fragment. Remove it, and pass keys with --header or --api-key.',
    );
  if (!url)
    throw new UsageError(
      `"${text}" is not a base URL. Pass one that starts with http:// or https://, such as http://127.0.0.1:4010.`,
    );
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Throws UsageError for an invalid proxy URL. The message never repeats it, because it might hold a password. */
export function checkProxyUrl(text: string, source: string): void {
  const { hostname, protocol = '' } = URL.parse(text) ?? {};
  if (hostname && /^(https?|socks5?):$/.test(protocol)) return;
  throw new UsageError(
    `The variable ${source} is not a proxy URL. Set it to a URL such as http://127.0.0.1:3128.`,
  );
}
