import { UsageError } from '../../spec/files/usage-error.ts';
import type { ForwardChange } from '../forwarding/forwarding.ts';
import type { Action, ForwardControl } from './action.ts';
import { ControlError } from './control-error.ts';

const FORWARD = { $ref: '#/components/schemas/Forward' };
const NONE = { description: 'The mock was started without --forward.' };

/** The actions on forwarded models. They concern all sessions. */
export const FORWARD_ACTIONS = {
  getForward: {
    method: 'GET',
    path: '/forward',
    summary: 'Return the service that answers some models, in all sessions.',
    answers: { 200: { description: 'The service, and the models.', schema: FORWARD }, 404: NONE },
    run: async ({ forward }) => need(forward).state(),
  },
  changeForward: {
    method: 'PATCH',
    path: '/forward',
    summary: 'Start or stop forwarding, or choose the forwarded models, in all sessions.',
    body: {
      type: 'object',
      additionalProperties: false,
      properties: {
        enabled: { type: 'boolean' },
        models: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      },
      minProperties: 1,
    },
    answers: {
      200: { description: 'The service, and the models from now on.', schema: FORWARD },
      404: NONE,
      422: { description: 'The body is invalid. Nothing has changed.' },
    },
    run: async ({ forward }, wanted: ForwardChange) => {
      const own = need(forward);
      try {
        await own.change(wanted);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        const { message } = error;
        throw new ControlError(422, message, { violations: [{ pointer: '/models', message }] });
      }
      return own.state();
    },
  },
} satisfies Readonly<Record<string, Action>>;

function need(forward: ForwardControl | undefined): ForwardControl {
  if (forward) return forward;
  throw new ControlError(
    404,
    'The mock forwards no requests. To let a service answer some models, start it with --forward URL.',
  );
}
