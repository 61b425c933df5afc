import { type Action, listOf, WRONG_BODY } from '../action.ts';
import { UnknownName } from '../control-error.ts';
import type { FaultRule } from './fault-rule.ts';

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
    run: async ({ readFault, session }, rule: FaultRule) => {
      const own = readFault(rule, session.name);
      const { id } = await session.conditions.change(() => session.faults.add(own));
      return { id };
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
      404: { description: 'The session has no such fault.' },
    },
    run: async ({ session }, { id }: { id: string }) => {
      if (await session.conditions.change(() => session.faults.remove(id))) return;
      throw new UnknownName(`This session has no fault "${id}".`);
    },
  },
} satisfies Readonly<Record<string, Action>>;
