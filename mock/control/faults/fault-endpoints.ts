import { ControlError, type Endpoint, json, WRONG_BODY } from '../endpoint.ts';
import { type FaultRule, mistakesIn } from './fault-rule.ts';

/** Shows, adds and removes the faults of a session. */
export function faultEndpoints(): Endpoint[] {
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
        refuseWrongFault(body as FaultRule);
        const { id } = await session.conditions.change(() => session.faults.add(body as FaultRule));
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
        throw new ControlError(404, `This session has no fault "${name}".`);
      },
    },
  ];
}

/** Throws ControlError 422 for a fault that can't be applied, or does nothing. */
export function refuseWrongFault(rule: FaultRule): void {
  const mistakes = mistakesIn(rule);
  if (mistakes.length > 0) throw new ControlError(422, mistakes.join('; '));
}
