import { type Action, listOf, members, WRONG_BODY } from '../action.ts';
import { UnknownName } from '../control-error.ts';
import type { FaultRule } from './fault-rule.ts';

const NO_FAULT = { description: 'The session has no such fault.' };

/** The actions on the faults of a session. */
export const FAULT_ACTIONS = {
  listFaults: {
    method: 'GET',
    path: '/faults',
    summary: 'List the faults of the session, with the number of times that each was applied.',
    answers: {
      200: { description: 'The faults, oldest first.', schema: listOf('faults', { type: 'object' }) },
    },
    run: async ({ session }) => ({
      faults: await session.conditions.change(() => session.faults.list(), 'counted'),
    }),
  },
  createFault: {
    method: 'POST',
    path: '/faults',
    summary: 'Add a fault. If several faults match a request, the newest applies.',
    body: { $ref: '#/components/schemas/Fault' },
    answers: {
      201: {
        description: 'The fault is active.',
        schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      },
      422: WRONG_BODY,
    },
    run: async ({ needMemory, readFault, session }, rule: FaultRule) => {
      needMemory();
      const own = readFault(rule, session.name);
      const { id } = await session.conditions.change(() => session.faults.add(own));
      return { id };
    },
  },
  setFault: {
    method: 'PATCH',
    path: '/faults/{id}',
    summary: 'Enable or disable a fault of the session. It keeps its counts.',
    body: members(['enabled'], { enabled: { type: 'boolean' } }),
    answers: { 204: { description: 'The fault is enabled or disabled.' }, 404: NO_FAULT, 422: WRONG_BODY },
    run: async ({ session }, { enabled, id }: { id: string; enabled: boolean }) => {
      if (await session.conditions.change(() => session.faults.enable(id, enabled))) return;
      throw unknownFault(id);
    },
  },
  clearFaults: {
    method: 'DELETE',
    path: '/faults',
    summary: 'Delete all faults of the session.',
    answers: { 204: { description: 'All faults are deleted.' } },
    run: ({ session }) => session.conditions.change(() => session.faults.clear()),
  },
  deleteFault: {
    method: 'DELETE',
    path: '/faults/{id}',
    summary: 'Delete a fault of the session.',
    answers: {
      204: { description: 'The fault is deleted.' },
      404: NO_FAULT,
    },
    run: async ({ session }, { id }: { id: string }) => {
      if (await session.conditions.change(() => session.faults.remove(id))) return;
      throw unknownFault(id);
    },
  },
} satisfies Readonly<Record<string, Action>>;

function unknownFault(id: string): UnknownName {
  return new UnknownName(`This session has no fault "${id}".`);
}
