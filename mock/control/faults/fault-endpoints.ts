import { ControlError, type Endpoint, json, WRONG_BODY } from '../endpoint.ts';
import type { NameCheck } from '../names.ts';
import { readOwnFault } from './read-fault.ts';

/** Shows, adds and removes the faults of a session. */
export function faultEndpoints(refuseUnknown: NameCheck): Endpoint[] {
  const FAULT = { $ref: '#/components/schemas/Fault' };
  return [
    {
      method: 'GET',
      path: '/faults',
      id: 'listFaults',
      summary: 'List the faults of the session, with the number of times that each was applied.',
      answers: {
        200: {
          description: 'The faults, oldest first.',
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
      summary: 'Add a fault. If several faults match a request, the newest applies.',
      body: FAULT,
      answers: {
        201: {
          description: 'The fault is active.',
          schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
        },
        422: WRONG_BODY,
      },
      run: async ({ body, session }) => {
        const rule = readOwnFault(body, session.name, refuseUnknown);
        const { id } = await session.conditions.change(() => session.faults.add(rule));
        return json(201, { id });
      },
    },
    {
      method: 'DELETE',
      path: '/faults',
      id: 'clearFaults',
      summary: 'Delete all faults of the session.',
      answers: { 204: { description: 'All faults are deleted.' } },
      run: ({ session }) => session.conditions.change(() => session.faults.clear()),
    },
    {
      method: 'DELETE',
      path: '/faults/{id}',
      id: 'deleteFault',
      summary: 'Delete a fault of the session.',
      answers: {
        204: { description: 'The fault is deleted.' },
        404: { description: 'The session has no such fault.' },
      },
      run: async ({ name, session }) => {
        if (await session.conditions.change(() => session.faults.remove(name))) return;
        throw new ControlError(404, refuseFaultId(name));
      },
    },
  ];
}

/** Says that a session has no fault with an ID. */
export function refuseFaultId(id: string): string {
  return `This session has no fault "${id}".`;
}
