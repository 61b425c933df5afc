import { lookup } from 'node:dns/promises';
import { isLoopbackAddress, isOwnAddress } from '../http/http.ts';

/** A server listens on these for every address of a family, or of both. A request to them goes to this machine. */
const THIS_MACHINE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Whether an address is, by any of its names, the one that the mock listens at (`own`). */
export async function leadsToItself(upstream: string, own: string): Promise<boolean> {
  const [there, here] = [new URL(upstream), new URL(own)];
  if (portOf(there) !== portOf(here)) return false;
  const found = await lookup(bareHost(there), { all: true }).catch(() => []);
  const listening = bareHost(here);
  return found.some(({ address, family }) => {
    const asked = THIS_MACHINE[address] ?? address;
    if (listening === '::' || (listening === '0.0.0.0' && family === 4))
      return isLoopbackAddress(asked) || isOwnAddress(asked);
    return asked === listening;
  });
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
