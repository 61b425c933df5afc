import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { UsageError } from '../../spec/files/usage-error.ts';

/** Where a service is. What is on this machine is taken as disposable. */
export type Place = {
  readonly isHere: boolean;
  /** What the host resolved to; none where nothing is known of it. */
  readonly addresses: readonly LookupAddress[];
};

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Finds out where a base URL leads: to this machine only if every address of its host is one of the loopback. What a
 * name says of itself counts for nothing (`prod.localhost`). Throws UsageError for what is no base URL.
 */
export async function locate(baseUrl: string, resolve: Resolve = resolveAll): Promise<Place> {
  const host = new URL(parseBaseUrl(baseUrl)).hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  // Where a proxy looks names up, this machine may not know them.
  const addresses = family ? [{ address: host, family }] : await resolve(host).catch(() => []);
  return { isHere: addresses.length > 0 && addresses.every(isLoopback), addresses };
}

function resolveAll(host: string): Promise<LookupAddress[]> {
  return lookup(host, { all: true });
}

function isLoopback({ address, family }: LookupAddress): boolean {
  return LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Gives these addresses whatever is asked for, so that a name can't lead elsewhere later. */
export function pinned(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family ?? 4);
  };
}

/** Says before anything is written that a person has to decide. */
export function needDecision(target: string, why: string): UsageError {
  return new UsageError(
    `${target} may be more than a service of your own: ${why}; expected --read-only (nothing but GET is sent) or --write (records are made, changed and removed)`,
  );
}

/** The base URL without its last slash; throws UsageError when it is none, or holds credentials. */
export function parseBaseUrl(text: string): string {
  const found = URL.parse(text);
  const url = found && /^https?:$/.test(found.protocol) ? found : undefined;
  // What may be a secret is not repeated, so this comes first; one with a slash in it makes no URL.
  if (url ? url.username || url.password : text.includes('@'))
    throw new UsageError(
      'the base URL holds a user name or password; expected --basic USER:PASSWORD instead',
    );
  if (/[?#]/.test(text))
    throw new UsageError(
      'the base URL holds a query or fragment; expected none, and keys in --header or --api-key',
    );
  if (!url) throw new UsageError(`the base URL is "${text}"; expected one such as http://127.0.0.1:4010`);
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Throws UsageError, which never repeats a password, for what is no address of a proxy. */
export function checkProxyUrl(text: string, source: string): void {
  const { hostname, protocol = '' } = URL.parse(text) ?? {};
  if (hostname && /^(https?|socks5?):$/.test(protocol)) return;
  throw new UsageError(`${source} holds no address of a proxy; expected one such as http://127.0.0.1:3128`);
}
