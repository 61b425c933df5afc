import { type MockRequest, splitTarget } from '../http/http.ts';
import { type Store, StoreAway } from '../store/store.ts';
import { ACTIONS } from './actions.ts';
import { CONTROL } from './address.ts';

/** Actions that tell a load balancer whether to use this mock. They are open to all, and concern no session. */
export type Probe = (typeof PROBES)[number];

const PROBES = [ACTIONS.getLive, ACTIONS.getReady] as const;
const BY_TARGET: ReadonlyMap<string, Probe> = new Map(PROBES.map((probe) => [CONTROL + probe.path, probe]));

/** Whether the target of a request is a probe. */
export function isProbe(target: string): boolean {
  return target.startsWith(CONTROL) && BY_TARGET.has(splitTarget(target)[0]);
}

/** Returns the probe that a request asks for. */
export function findProbe({ method, target }: MockRequest): Probe | undefined {
  if (!target.startsWith(CONTROL) || (method !== 'GET' && method !== 'HEAD')) return undefined;
  return BY_TARGET.get(splitTarget(target)[0]);
}

/** Rejects if the database does not respond. */
export async function checkStore({ check }: Pick<Store, 'check'>): Promise<void> {
  try {
    await check?.();
  } catch (error) {
    // The address of the database is for the log and the control API only.
    if (error instanceof StoreAway)
      throw new StoreAway('The database does not respond. Send the request again.');
    throw error;
  }
}
