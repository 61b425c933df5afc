import { ControlError, type Endpoint, json, WRONG_BODY } from '../endpoint.ts';
import { LATEST, readTime } from './clock.ts';
import type { Session } from './sessions.ts';

const CLOCK = { $ref: '#/components/schemas/Clock' };

/** Shows and sets the time of a session. */
export function clockEndpoints(): Endpoint[] {
  const show = ({ clock }: Session) => json(200, { now: clock.now().toISOString(), frozen: clock.frozen });
  const answers = { 200: { description: 'The time of the session.', schema: CLOCK } };
  return [
    {
      method: 'GET',
      path: '/clock',
      id: 'getClock',
      summary: 'Return the time of the session.',
      answers,
      run: async ({ session }) => show(session),
    },
    {
      method: 'PUT',
      path: '/clock',
      id: 'setClock',
      summary: 'Set, stop, or start the clock of the session.',
      body: { ...CLOCK_SCHEMA, minProperties: 1 },
      answers: { ...answers, 422: WRONG_BODY },
      run: async ({ body, session }) => {
        const { frozen, now } = body as { now?: string; frozen?: boolean };
        const time = now === undefined ? undefined : timeOf(now);
        const change = { ...(time && { now: time }), ...(frozen !== undefined && { frozen }) };
        await session.conditions.change(() => session.clock.set(change));
        return show(session);
      },
    },
    {
      method: 'POST',
      path: '/clock/advance',
      id: 'advanceClock',
      summary: 'Move the clock of the session forward.',
      body: {
        type: 'object',
        additionalProperties: false,
        required: ['ms'],
        properties: { ms: { type: 'integer', minimum: 0, maximum: LATEST } },
      },
      answers: { ...answers, 422: WRONG_BODY },
      run: async ({ body, session }) => {
        await session.conditions.change(() => session.clock.advance((body as { ms: number }).ms));
        return show(session);
      },
    },
  ];
}

const CLOCK_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: { now: { type: 'string', format: 'date-time' }, frozen: { type: 'boolean' } },
};

function timeOf(text: string): Date {
  const time = readTime(text);
  if (time) return time;
  throw new ControlError(422, `now must be a time from 1970 to 9999, but is ${JSON.stringify(text)}.`);
}
