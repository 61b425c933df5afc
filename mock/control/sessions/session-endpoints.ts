import { describeProfile, type Profile } from '../../../spec/profile/profile.ts';
import { SESSION_NAME } from '../address.ts';
import { ControlError, type Endpoint, json, NO_CONTENT } from '../endpoint.ts';
import { type FaultRule, isEmptyFault } from '../faults/fault-rule.ts';
import { EARLIEST, LATEST } from './clock.ts';
import { type Session, type Sessions, START } from './sessions.ts';
import type { Snapshots } from './snapshots.ts';
import type { State, StateAccess } from './state.ts';

export type SessionEndpointsOptions = {
  readonly sessions: Sessions;
  readonly snapshots: Snapshots;
  readonly state: StateAccess;
  readonly profile: Profile;
  readonly version: string;
};

const NAME = { type: 'string', pattern: SESSION_NAME.source };
const STATE = { $ref: '#/components/schemas/State' };
const CLOCK = { $ref: '#/components/schemas/Clock' };
const WRONG = { 422: { description: 'Something is wrong with the body; nothing was changed.' } };

/** What belongs to a session: its state, its clock, its faults, and the sessions and snapshots themselves. */
export function sessionEndpoints(options: SessionEndpointsOptions): Endpoint[] {
  const { profile, sessions, snapshots, state, version } = options;
  return [
    {
      method: 'GET',
      path: '/health',
      id: 'getHealth',
      summary: 'That the mock runs, and how much it holds.',
      answers: { 200: { description: 'It runs.', schema: { type: 'object' } } },
      run: async ({ session }) =>
        json(200, {
          status: 'ok',
          version,
          profile: describeProfile(profile).join(', ') || 'default',
          sessions: sessions.list().length,
          records: await state.count(session),
        }),
    },
    {
      method: 'GET',
      path: '/profile',
      id: 'getProfile',
      summary: 'The settings in force.',
      answers: { 200: { description: 'Each setting with its option.', schema: { type: 'object' } } },
      run: async () => json(200, profile),
    },
    {
      method: 'POST',
      path: '/reset',
      id: 'reset',
      summary: 'Back to the beginning of the session: records, ids, clock, faults, journal.',
      answers: { 204: { description: 'The session is as it began.' } },
      run: async ({ session }) => {
        await sessions.reset(session);
        return NO_CONTENT;
      },
    },
    {
      method: 'GET',
      path: '/state',
      id: 'getState',
      summary: 'The records of the session in the form of fixtures.',
      query: { models: 'Only these, separated by commas.' },
      answers: { 200: { description: 'The records by model.', schema: STATE } },
      run: async ({ query, session }) =>
        json(200, await state.read(session, query.get('models')?.split(',').filter(Boolean))),
    },
    ...(['all', 'named'] as const).map(
      (scope): Endpoint => ({
        method: scope === 'all' ? 'PUT' : 'PATCH',
        path: '/state',
        id: scope === 'all' ? 'replaceState' : 'patchState',
        summary:
          scope === 'all'
            ? 'Replaces all records of the session; all or nothing.'
            : 'Replaces the records of the models that are named; all or nothing.',
        body: STATE,
        answers: { 204: { description: 'The records are stored.' }, ...WRONG },
        run: async ({ body, session }) => {
          await state.write(session, body as State, scope);
          return NO_CONTENT;
        },
      }),
    ),
    ...snapshotEndpoints(snapshots),
    ...sessionListEndpoints(sessions, snapshots),
    ...clockEndpoints(),
    ...faultEndpoints(),
  ];
}

function snapshotEndpoints(snapshots: Snapshots): Endpoint[] {
  const unknown = { 404: { description: 'There is no such snapshot.' } };
  return [
    {
      method: 'GET',
      path: '/snapshots',
      id: 'listSnapshots',
      summary: 'The names of all snapshots.',
      answers: {
        200: {
          description: 'The oldest first.',
          schema: { type: 'object', properties: { snapshots: { type: 'array', items: NAME } } },
        },
      },
      run: async () => json(200, { snapshots: await snapshots.list() }),
    },
    {
      method: 'POST',
      path: '/snapshots',
      id: 'createSnapshot',
      summary: 'Keeps the records and ids of the session under a name that every session sees.',
      body: { type: 'object', additionalProperties: false, required: ['name'], properties: { name: NAME } },
      answers: { 201: { description: 'It is kept, in the place of one that had the name.' }, ...WRONG },
      run: async ({ body, session }) => {
        const { name } = body as { name: string };
        await snapshots.save(session, name);
        return json(201, { name });
      },
    },
    {
      method: 'POST',
      path: '/snapshots/{name}/restore',
      id: 'restoreSnapshot',
      summary: 'Puts the records and ids of a snapshot in the place of those of the session.',
      answers: { 204: { description: 'They are in place.' }, ...unknown },
      run: async ({ name, session }) => {
        await snapshots.restore(session, name);
        return NO_CONTENT;
      },
    },
    {
      method: 'DELETE',
      path: '/snapshots/{name}',
      id: 'deleteSnapshot',
      summary: 'Forgets a snapshot; sessions that began with it stay as they are.',
      answers: { 204: { description: 'It is forgotten.' }, ...unknown },
      run: async ({ name }) => {
        await snapshots.forget(name);
        return NO_CONTENT;
      },
    },
  ];
}

function sessionListEndpoints(sessions: Sessions, snapshots: Snapshots): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/sessions',
      id: 'listSessions',
      summary: 'All sessions; the shared one is first.',
      answers: {
        200: {
          description: 'Their names.',
          schema: { type: 'object', properties: { sessions: { type: 'array', items: { type: 'object' } } } },
        },
      },
      run: async () => json(200, { sessions: sessions.list().map(({ name }) => ({ name })) }),
    },
    {
      method: 'POST',
      path: '/sessions',
      id: 'createSession',
      summary: 'Makes a session, from a snapshot or from the start.',
      body: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: { name: NAME, from: NAME },
      },
      answers: {
        201: { description: 'It is there.' },
        404: { description: 'There is no such snapshot.' },
        409: { description: 'There is one of the name.' },
        ...WRONG,
      },
      run: async ({ body }) => {
        const { from, name } = body as { name: string; from?: string };
        if (from !== undefined) await snapshots.refuseUnknown(from);
        if (await sessions.create(name, from ?? START)) return json(201, { name });
        throw new ControlError(409, `There is a session ${name} already.`);
      },
    },
    {
      method: 'DELETE',
      path: '/sessions/{name}',
      id: 'deleteSession',
      summary: 'Ends a session and forgets its records.',
      answers: { 204: { description: 'It is gone.' }, 404: { description: 'There is no such session.' } },
      run: async ({ name }) => {
        if (await sessions.delete(name)) return NO_CONTENT;
        throw new ControlError(404, `There is no session ${name} that could be ended.`);
      },
    },
  ];
}

function clockEndpoints(): Endpoint[] {
  const show = ({ clock }: Session) => json(200, { now: clock.now().toISOString(), frozen: clock.frozen });
  const answers = { 200: { description: 'The time of the session.', schema: CLOCK } };
  return [
    {
      method: 'GET',
      path: '/clock',
      id: 'getClock',
      summary: 'The time of the session.',
      answers,
      run: async ({ session }) => show(session),
    },
    {
      method: 'PUT',
      path: '/clock',
      id: 'setClock',
      summary: 'Sets the time of the session, or stops it, or lets it run.',
      body: { ...CLOCK_SCHEMA, minProperties: 1 },
      answers: { ...answers, ...WRONG },
      run: async ({ body, session }) => {
        const { frozen, now } = body as { now?: string; frozen?: boolean };
        const time = now === undefined ? undefined : readTime(now);
        session.clock.set({ ...(time && { now: time }), ...(frozen !== undefined && { frozen }) });
        return show(session);
      },
    },
    {
      method: 'POST',
      path: '/clock/advance',
      id: 'advanceClock',
      summary: 'Moves the time of the session on.',
      body: {
        type: 'object',
        additionalProperties: false,
        required: ['ms'],
        properties: { ms: { type: 'integer', minimum: 0, maximum: LATEST } },
      },
      answers: { ...answers, ...WRONG },
      run: async ({ body, session }) => {
        session.clock.advance((body as { ms: number }).ms);
        return show(session);
      },
    },
  ];
}

export const CLOCK_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: { now: { type: 'string', format: 'date-time' }, frozen: { type: 'boolean' } },
};

export function readTime(text: string): Date {
  const time = new Date(text);
  if (time.getTime() >= EARLIEST && time.getTime() <= LATEST) return time;
  throw new ControlError(422, `now is ${JSON.stringify(text)}; expected a time from 1970 to 9999.`);
}

function faultEndpoints(): Endpoint[] {
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
      run: async ({ session }) => json(200, { faults: session.faults.list() }),
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
        ...WRONG,
      },
      run: async ({ body, session }) => {
        refuseEmptyFault(body as FaultRule);
        return json(201, { id: session.faults.add(body as FaultRule).id });
      },
    },
    {
      method: 'DELETE',
      path: '/faults',
      id: 'clearFaults',
      summary: 'Removes all faults of the session.',
      answers: { 204: { description: 'There is none left.' } },
      run: async ({ session }) => {
        session.faults.clear();
        return NO_CONTENT;
      },
    },
    {
      method: 'DELETE',
      path: '/faults/{id}',
      id: 'deleteFault',
      summary: 'Removes a fault of the session.',
      answers: { 204: { description: 'It is gone.' }, 404: { description: 'There is no such fault.' } },
      run: async ({ name, session }) => {
        if (session.faults.remove(name)) return NO_CONTENT;
        throw new ControlError(404, `There is no fault ${name} in this session.`);
      },
    },
  ];
}

/** A fault that does nothing is a mistake. */
export function refuseEmptyFault(rule: FaultRule): void {
  if (isEmptyFault(rule))
    throw new ControlError(
      422,
      'The fault does nothing; expected status, body, delay, drop or bytesPerSecond.',
    );
}
