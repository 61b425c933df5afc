import { describeProfile, type Profile } from '../../../spec/profile/profile.ts';
import { SESSION_NAME } from '../address.ts';
import { ControlError, type Endpoint, json, WRONG_BODY } from '../endpoint.ts';
import { faultEndpoints } from '../faults/fault-endpoints.ts';
import type { JournalReader } from '../journal/reader.ts';
import type { NameCheck } from '../names.ts';
import { clockEndpoints } from './clock-endpoints.ts';
import { type Sessions, START } from './sessions.ts';
import { snapshotEndpoints } from './snapshot-endpoints.ts';
import { snapshotName } from './snapshot-keys.ts';
import type { Snapshots } from './snapshots.ts';
import type { State, StateAccess } from './state.ts';

export type SessionEndpointsOptions = {
  readonly sessions: Sessions;
  readonly snapshots: Snapshots;
  readonly state: StateAccess;
  readonly reader: JournalReader;
  readonly refuseUnknown: NameCheck;
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
      summary: 'Return the version, the profile, and the number of sessions.',
      answers: { 200: { description: 'The mock runs.', schema: { type: 'object' } } },
      run: async () =>
        json(200, {
          status: 'ok',
          version,
          profile: describeProfile(profile).join(', ') || 'default',
          sessions: (await sessions.all()).length,
        }),
    },
    {
      method: 'GET',
      path: '/profile',
      id: 'getProfile',
      summary: 'Return the settings of the profile.',
      answers: { 200: { description: 'Each setting with its value.', schema: { type: 'object' } } },
      run: async () => json(200, profile),
    },
    {
      method: 'POST',
      path: '/reset',
      id: 'reset',
      summary: 'Reset the session: records, IDs, clock, faults, and request log.',
      answers: { 204: { description: 'The session is as it was at its start.' } },
      run: async ({ session }) => {
        await sessions.reset(session);
        await reader.clear(session);
      },
    },
    {
      method: 'GET',
      path: '/state',
      id: 'getState',
      summary: 'Return the records of the session as fixtures.',
      query: {
        models: { description: 'Return only these models, separated by commas.', schema: { type: 'string' } },
      },
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
            ? 'Replace all records of the session. If one is invalid, nothing changes.'
            : 'Replace the records of the models in the body. If one is invalid, nothing changes.',
        body: STATE,
        answers: { 204: { description: 'The records are stored.' }, 422: WRONG_BODY },
        run: ({ body, session }) => state.write(session, body as State, scope),
      }),
    ),
    ...snapshotEndpoints(snapshots),
    ...sessionListEndpoints(sessions, snapshots),
    ...clockEndpoints(),
    ...faultEndpoints(options.refuseUnknown),
  ];
}

function sessionListEndpoints(sessions: Sessions, snapshots: Snapshots): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/sessions',
      id: 'listSessions',
      summary: 'List all sessions, the shared session first.',
      answers: {
        200: {
          description: 'The name of each session, and of the snapshot that it started from, if any.',
          schema: { type: 'object', properties: { sessions: { type: 'array', items: { type: 'object' } } } },
        },
      },
      run: async () =>
        json(200, {
          sessions: (await sessions.all()).map(({ from, name }) =>
            from === START ? { name } : { name, from: snapshotName(from) },
          ),
        }),
    },
    {
      method: 'POST',
      path: '/sessions',
      id: 'createSession',
      summary: 'Create a session, from a snapshot or from the start records of the mock.',
      body: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: { name: NAME, from: NAME },
      },
      answers: {
        201: { description: 'The session is created.' },
        404: { description: 'There is no such snapshot.' },
        409: { description: 'A session with this name exists.' },
        422: WRONG_BODY,
      },
      run: async ({ body, session }) => {
        const { from, name } = body as { name: string; from?: string };
        const key = from === undefined ? START : await snapshots.find(session, from);
        if (await sessions.create(name, key)) return json(201, { name });
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
      summary: 'Delete a session with its records and its snapshots.',
      answers: {
        204: { description: 'The session is deleted.' },
        404: { description: 'There is no such session.' },
      },
      run: async ({ name }) => {
        if (await sessions.delete(name)) return;
        throw new ControlError(404, `There is no session "${name}" to delete.`);
      },
    },
  ];
}
