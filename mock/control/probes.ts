import { type MockRequest, type ServedReply, splitTarget } from '../http/http.ts';
import { type Store, StoreAway } from '../store/store.ts';
import { CONTROL } from './address.ts';
import { type Endpoint, json } from './endpoint.ts';

const OK = { status: 'ok' };
const SCHEMA = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', enum: ['ok'] } },
};

/** Endpoints that tell a load balancer whether to use this mock. They are open to all, and concern no session. */
export type Probe = Omit<Endpoint, 'run'> & { run(): Promise<ServedReply> };

/** Whether the target of a request is a probe. */
export function isProbe(target: string): boolean {
  if (!target.startsWith(CONTROL)) return false;
  const [path] = splitTarget(target);
  return path === `${CONTROL}/live` || path === `${CONTROL}/ready`;
}

export function createProbes({ check }: Pick<Store, 'check'>): readonly Probe[] {
  return [
    {
      method: 'GET',
      path: '/live',
      id: 'getLive',
      summary: 'Check that the process runs. Open to all clients.',
      answers: { 200: { description: 'The process runs.', schema: SCHEMA } },
      run: async () => json(200, OK),
    },
    {
      method: 'GET',
      path: '/ready',
      id: 'getReady',
      summary: 'Check that the mock can serve requests. Open to all clients.',
      answers: {
        200: { description: 'The mock can serve requests.', schema: SCHEMA },
        503: { description: 'The database does not respond.' },
      },
      run: async () => {
        try {
          await check?.();
          return json(200, OK);
        } catch (error) {
          // The address of the database is for the log and the control API only.
          if (error instanceof StoreAway)
            throw new StoreAway('The database does not respond. Send the request again.');
          throw error;
        }
      },
    },
  ];
}

/** Returns the probe that a request asks for. */
export function findProbe(probes: readonly Probe[], { method, target }: MockRequest): Probe | undefined {
  if (!isProbe(target) || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const [path] = splitTarget(target);
  return probes.find((probe) => CONTROL + probe.path === path);
}
