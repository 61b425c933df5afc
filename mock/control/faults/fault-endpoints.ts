import { ControlError, type Endpoint, json, WRONG_BODY } from '../endpoint.ts';
import { type FaultRule, isEmptyFault } from './fault-rule.ts';

/** Shows, adds and removes the faults of a session. */
export function faultEndpoints(): Endpoint[] {
  const FAULT = { $ref: '#/components/schemas/Fault' };
  return [
    {
      method: 'GET',
      path: '/faults',
      id: 'listFaults',
      summary: 'The faults of the session, and how often each was met.',
      answers: {
        200: {
          description: 'In the order they were added.',
          schema: { type: 'object', properties: { faults: { type: 'array', items: { type: 'object' } } } },
        },
      },
      run: async ({ session }) => {
        const faults = await session.conditions.change(() => session.faults.list(), 'counted');
        return json(200, { faults });
      },
    },
    {
      method: 'POST',
      path: '/faults',
      id: 'createFault',
      summary: 'Adds a fault; of several that match a request the newest is met.',
      body: FAULT,
      answers: {
        201: {
          description: 'It is in force.',
          schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
        },
        422: WRONG_BODY,
      },
      run: async ({ body, session }) => {
        refuseEmptyFault(body as FaultRule);
        const { id } = await session.conditions.change(() => session.faults.add(body as FaultRule));
        return json(201, { id });
      },
    },
    {
      method: 'DELETE',
      path: '/faults',
      id: 'clearFaults',
      summary: 'Removes all faults of the session.',
      answers: { 204: { description: 'There is none left.' } },
      run: ({ session }) => session.conditions.change(() => session.faults.clear()),
    },
    {
      method: 'DELETE',
      path: '/faults/{id}',
      id: 'deleteFault',
      summary: 'Removes a fault of the session.',
      answers: { 204: { description: 'It is gone.' }, 404: { description: 'There is no such fault.' } },
      run: async ({ name, session }) => {
        if (await session.conditions.change(() => session.faults.remove(name))) return;
        throw new ControlError(404, `This session has no fault "${name}".`);
      },
    },
  ];
}

/** A fault that does nothing is a mistake. */
export function refuseEmptyFault(rule: FaultRule): void {
  if (isEmptyFault(rule))
    throw new ControlError(422, 'The fault has no effect. Add status, body, delay, drop, or bytesPerSecond.');
}
