import { describeProfile, type Profile } from '../../../spec/profile/profile.ts';
import { SESSION_NAME } from '../address.ts';
import { ControlError, type Endpoint, json, WRONG_BODY } from '../endpoint.ts';
import { faultEndpoints } from '../faults/fault-endpoints.ts';
import type { JournalReader } from '../journal/journal-view.ts';
import type { NameCheck } from '../names.ts';
import { LATEST, readTime } from './clock.ts';
import { type Session, type Sessions, START } from './sessions.ts';
import { snapshotName } from './snapshot-keys.ts';
import type { Snapshots } from './snapshots.ts';
import type { State, StateAccess } from './state.ts';

const CLOCK = { $ref: '#/components/schemas/Clock' };

const CLOCK_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: { now: { type: 'string', format: 'date-time' }, frozen: { type: 'boolean' } },
};

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

/** Shows and sets the time of a session. */
function clockEndpoints(): Endpoint[] {
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

function timeOf(text: string): Date {
  const time = readTime(text);
  if (time) return time;
  throw new ControlError(422, `now must be a time from 1970 to 9999, but is ${JSON.stringify(text)}.`);
}

/** Keeps the records of a session under a name, and brings them back. */
function snapshotEndpoints(snapshots: Snapshots): Endpoint[] {
  const unknown = { 404: { description: 'There is no such snapshot.' } };
  return [
    {
      method: 'GET',
      path: '/snapshots',
      id: 'listSnapshots',
      summary: 'List the names of the snapshots that the session can use.',
      answers: {
        200: {
          description: 'The names, oldest first.',
          schema: { type: 'object', properties: { snapshots: { type: 'array', items: NAME } } },
        },
      },
      run: async ({ session }) => json(200, { snapshots: await snapshots.list(session) }),
    },
    {
      method: 'POST',
      path: '/snapshots',
      id: 'createSnapshot',
      summary:
        'Save the records and IDs of the session as a snapshot. It belongs to the session, and is deleted with it. If `shared` is true, or the request names no session, all sessions can use it.',
      body: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: { name: NAME, shared: { type: 'boolean' } },
      },
      answers: {
        201: { description: 'The snapshot is saved. It replaces an older one with the same name.' },
        422: WRONG_BODY,
      },
      run: async ({ body, session }) => {
        const { name, shared } = body as { name: string; shared?: boolean };
        await snapshots.save(session, name, shared);
        return json(201, { name });
      },
    },
    {
      method: 'POST',
      path: '/snapshots/{name}/restore',
      id: 'restoreSnapshot',
      summary: 'Replace the records and IDs of the session with those of a snapshot.',
      answers: { 204: { description: 'The session has the records and IDs of the snapshot.' }, ...unknown },
      run: ({ name, session }) => snapshots.restore(session, name),
    },
    {
      method: 'DELETE',
      path: '/snapshots/{name}',
      id: 'deleteSnapshot',
      summary: 'Delete a snapshot. Sessions that started from it do not change.',
      answers: { 204: { description: 'The snapshot is deleted.' }, ...unknown },
      run: ({ name, session }) => snapshots.forget(session, name),
    },
  ];
}
