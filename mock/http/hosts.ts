import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Whether an address of a peer is this machine's own. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '');
  return plain === '::1' || /^127\.\d+\.\d+\.\d+$/.test(plain);
}

/** Whether a Host header, with or without a port, names this machine and nothing else. */
export function isLoopbackHost(host: string): boolean {
  const name = nameOf(host);
  // Not what ends in `.localhost`: anybody can have such a name resolve to anything.
  return name === 'localhost' || isLoopbackAddress(name);
}

/** Whether the Origin header of a page names this machine. */
export function isLocalOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && /^https?:$/.test(url.protocol) && isLoopbackHost(url.host);
}

/**
 * Whether a Host header is one that a server may be asked by: loopback, the host it listens at, or one that is allowed.
 * Any other is what a page gets by DNS rebinding. `*` allows all. A server that listens at all addresses has each.
 */
export function createHostCheck(listening: string, allowed: readonly string[]): (host: string) => boolean {
  const known = new Set([listening, ...allowed].map((name) => name.toLowerCase().replace(/^\[|\]$/g, '')));
  const everywhere = known.has('0.0.0.0') || known.has('::');
  const isKnown = (host: string): boolean => {
    if (known.has('*') || isLoopbackHost(host)) return true;
    const name = nameOf(host);
    return known.has(name) || known.has(host.toLowerCase()) || (everywhere && isOwnAddress(name));
  };
  // Clients ask by one name; the addresses of a machine may change.
  let last: string | undefined;
  return (host) => {
    if (host === last && !everywhere) return true;
    if (!isKnown(host)) return false;
    last = host;
    return true;
  };
}

function isOwnAddress(name: string): boolean {
  if (isIP(name) === 0) return false;
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === name));
}

function nameOf(host: string): string {
  const lower = host.toLowerCase();
  return (/^\[([^\]]*)\](?::\d*)?$/.exec(lower)?.[1] ?? lower.replace(/:\d*$/, '')).replace(/\.$/, '');
}
