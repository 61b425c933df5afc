import { describeProfile, type Profile } from '../../../spec/profile/profile.ts';
import { SESSION_NAME } from '../address.ts';
import { ControlError, type Endpoint, json, WRONG_BODY } from '../endpoint.ts';
import { faultEndpoints } from '../faults/fault-endpoints.ts';
import type { JournalReader } from '../journal/reader.ts';
import { clockEndpoints } from './clock-endpoints.ts';
import { type Sessions, START } from './sessions.ts';
import { snapshotEndpoints } from './snapshot-endpoints.ts';
import type { Snapshots } from './snapshots.ts';
import type { State, StateAccess } from './state.ts';

export type SessionEndpointsOptions = {
  readonly sessions: Sessions;
  readonly snapshots: Snapshots;
  readonly state: StateAccess;
  readonly reader: JournalReader;
  readonly profile: Profile;
  readonly version: string;
};

const NAME = { type: 'string', pattern: SESSION_NAME.source };
const STATE = { $ref: '#/components/schemas/State' };

/** What belongs to a session: its state, its clock, its faults, and the sessions and snapshots themselves. */
export function sessionEndpoints(options: SessionEndpointsOptions): Endpoint[] {
  const { profile, reader, sessions, snapshots, state, version } = options;
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
          sessions: (await sessions.all()).length,
          records: [...(await state.counts(session)).values()].reduce((sum, count) => sum + count, 0),
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
        await reader.clear(session);
      },
    },
    {
      method: 'GET',
      path: '/state',
      id: 'getState',
      summary: 'The records of the session in the form of fixtures.',
      query: { models: { description: 'Only these, separated by commas.', schema: { type: 'string' } } },
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
        answers: { 204: { description: 'The records are stored.' }, 422: WRONG_BODY },
        run: ({ body, session }) => state.write(session, body as State, scope),
      }),
    ),
    ...snapshotEndpoints(snapshots),
    ...sessionListEndpoints(sessions, snapshots),
    ...clockEndpoints(),
    ...faultEndpoints(),
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
          description: 'Their names, and the snapshots they began with, where they were named.',
          schema: { type: 'object', properties: { sessions: { type: 'array', items: { type: 'object' } } } },
        },
      },
      run: async () =>
        json(200, {
          sessions: (await sessions.all()).map(({ from, name }) =>
            from === START ? { name } : { name, from },
          ),
        }),
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
        422: WRONG_BODY,
      },
      run: async ({ body }) => {
        const { from, name } = body as { name: string; from?: string };
        if (from !== undefined) await snapshots.refuseUnknown(from);
        if (await sessions.create(name, from ?? START)) return json(201, { name });
        throw new ControlError(
          409,
          `The session "${name}" exists already. Choose another name, or delete it first.`,
        );
      },
    },
    {
      method: 'DELETE',
      path: '/sessions/{name}',
      id: 'deleteSession',
      summary: 'Ends a session and forgets its records.',
      answers: { 204: { description: 'It is gone.' }, 404: { description: 'There is no such session.' } },
      run: async ({ name }) => {
        if (await sessions.delete(name)) return;
        throw new ControlError(404, `There is no session "${name}" to delete.`);
      },
    },
  ];
}
