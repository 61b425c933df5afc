import { describeContract } from '../../spec/meta/meta.ts';
import { LATEST, readTime } from '../../spec/types/times.ts';
import { type Action, type ActionParts, listOf, members, WRONG_BODY } from './action.ts';
import { SESSION_NAME } from './address.ts';
import { ControlError } from './control-error.ts';
import { FAULT_ACTIONS } from './faults/fault-actions.ts';
import { FORWARD_ACTIONS } from './forward-actions.ts';
import { JOURNAL_ACTIONS } from './journal/journal-actions.ts';
import { RECORD_ACTIONS } from './records/record-actions.ts';
import type { Session } from './sessions/session.ts';
import { START } from './sessions/sessions.ts';
import { snapshotName } from './sessions/snapshots.ts';
import type { State } from './sessions/state.ts';

const NAME = { type: 'string', pattern: SESSION_NAME.source };
const STATE = { $ref: '#/components/schemas/State' };
const NO_SNAPSHOT = { description: 'There is no such snapshot.' };
const TIME = { description: 'The time of the session.', schema: { $ref: '#/components/schemas/Clock' } };
const OK = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', enum: ['ok'] } },
};

const CONTRACT = {
  type: 'object',
  required: ['title', 'version', 'base', 'areas', 'models', 'profile'],
  properties: {
    title: { type: 'string' },
    version: { type: 'string' },
    base: { type: 'string' },
    areas: { type: 'array', items: { type: 'object' } },
    models: { type: 'object', additionalProperties: { type: 'object' } },
    profile: { type: 'array', items: { type: 'object' } },
  },
};

/** The actions by their operationId, in the order of the document. */
export const ACTIONS = {
  getLive: {
    method: 'GET',
    path: '/live',
    summary: 'Check that the process runs. Open to all clients.',
    answers: { 200: { description: 'The process runs.', schema: OK } },
    run: async () => ({ status: 'ok' }),
  },
  getReady: {
    method: 'GET',
    path: '/ready',
    summary: 'Check that the mock can serve requests. Open to all clients.',
    answers: {
      200: { description: 'The mock can serve requests.', schema: OK },
      503: { description: 'The database does not respond.' },
    },
    run: async ({ check }: Pick<ActionParts, 'check'>) => {
      await check();
      return { status: 'ok' };
    },
  },
  getHealth: {
    method: 'GET',
    path: '/health',
    summary: 'Return the version, the profile, and the number of sessions.',
    answers: { 200: { description: 'The mock runs.', schema: { type: 'object' } } },
    run: async ({ describeProfile, sessions, version }) => ({
      status: 'ok',
      version,
      profile: describeProfile().join(', ') || 'default',
      sessions: (await sessions.all()).length,
    }),
  },
  getProfile: {
    method: 'GET',
    path: '/profile',
    summary: 'Return the settings of the profile.',
    answers: { 200: { description: 'Each setting with its value.', schema: { type: 'object' } } },
    run: async ({ profile }) => profile,
  },
  getContract: {
    method: 'GET',
    path: '/contract',
    summary: 'Return the facts of the contract: areas, models, fields, and settings, each with its basis.',
    answers: { 200: { description: 'The facts.', schema: CONTRACT } },
    run: async ({ contract }) => describeContract(contract),
  },
  reset: {
    method: 'POST',
    path: '/reset',
    summary: 'Reset the session: records, IDs, clock, faults, and request log.',
    answers: { 204: { description: 'The session is as it was at its start.' } },
    run: async ({ reader, session, sessions }) => {
      await sessions.reset(session);
      await reader.clear(session);
    },
  },
  getState: {
    method: 'GET',
    path: '/state',
    summary: 'Return the records of the session as fixtures.',
    query: {
      models: { description: 'Return only these models, separated by commas.', schema: { type: 'string' } },
    },
    answers: { 200: { description: 'The records by model.', schema: STATE } },
    read: ({ models }) => ({ models: models?.split(',').filter(Boolean) }),
    run: ({ session, state }, { models }: { readonly models?: readonly string[] | undefined }) =>
      state.read(session, models),
    stream: ({ session, state }, { models }) => state.stream(session, models),
  },
  replaceState: {
    method: 'PUT',
    path: '/state',
    summary: 'Replace all records of the session. If one is invalid, nothing changes.',
    body: STATE,
    answers: { 204: { description: 'The records are stored.' }, 422: WRONG_BODY },
    run: ({ session, state }, records: State) => state.write(session, records, 'all'),
  },
  patchState: {
    method: 'PATCH',
    path: '/state',
    summary: 'Replace the records of the models in the body. If one is invalid, nothing changes.',
    body: STATE,
    answers: { 204: { description: 'The records are stored.' }, 422: WRONG_BODY },
    run: ({ session, state }, records: State) => state.write(session, records, 'named'),
  },
  ...RECORD_ACTIONS,
  listSnapshots: {
    method: 'GET',
    path: '/snapshots',
    summary: 'List the names of the snapshots that the session can use.',
    answers: { 200: { description: 'The names, oldest first.', schema: listOf('snapshots', NAME) } },
    run: async ({ session, snapshots }) => ({ snapshots: await snapshots.list(session) }),
  },
  createSnapshot: {
    method: 'POST',
    path: '/snapshots',
    summary:
      'Save the records and IDs of the session as a snapshot. It belongs to the session, and is deleted with it. If `shared` is true, or the request names no session, all sessions can use it.',
    body: members(['name'], { name: NAME, shared: { type: 'boolean' } }),
    answers: {
      201: { description: 'The snapshot is saved. It replaces an older one with the same name.' },
      422: WRONG_BODY,
    },
    run: async ({ needMemory, session, snapshots }, { name, shared }: { name: string; shared?: boolean }) => {
      needMemory();
      await snapshots.save(session, name, shared);
      return { name };
    },
  },
  restoreSnapshot: {
    method: 'POST',
    path: '/snapshots/{name}/restore',
    summary: 'Replace the records and IDs of the session with those of a snapshot.',
    answers: {
      204: { description: 'The session has the records and IDs of the snapshot.' },
      404: NO_SNAPSHOT,
    },
    run: ({ session, snapshots }, { name }: { name: string }) => snapshots.restore(session, name),
  },
  deleteSnapshot: {
    method: 'DELETE',
    path: '/snapshots/{name}',
    summary: 'Delete a snapshot. Sessions that started from it do not change.',
    answers: { 204: { description: 'The snapshot is deleted.' }, 404: NO_SNAPSHOT },
    run: ({ session, snapshots }, { name }: { name: string }) => snapshots.forget(session, name),
  },
  listSessions: {
    method: 'GET',
    path: '/sessions',
    summary: 'List all sessions, the shared session first.',
    answers: {
      200: {
        description: 'The name of each session, and of the snapshot that it started from, if any.',
        schema: listOf('sessions', { type: 'object' }),
      },
    },
    run: async ({ sessions }) => ({
      sessions: (await sessions.all()).map(({ from, name }) =>
        from === START ? { name } : { name, from: snapshotName(from) },
      ),
    }),
  },
  createSession: {
    method: 'POST',
    path: '/sessions',
    summary: 'Create a session, from a snapshot or from the start records of the mock.',
    body: members(['name'], { name: NAME, from: NAME }),
    answers: {
      201: { description: 'The session is created.' },
      404: NO_SNAPSHOT,
      409: { description: 'A session with this name exists.' },
      422: WRONG_BODY,
    },
    run: async ({ session, sessions, snapshots }, { from, name }: { name: string; from?: string }) => {
      const key = from === undefined ? START : await snapshots.find(session, from);
      if (await sessions.create(name, key)) return { name };
      throw new ControlError(
        409,
        `The session "${name}" exists already. Choose another name, or delete it first.`,
      );
    },
  },
  deleteSession: {
    method: 'DELETE',
    path: '/sessions/{name}',
    summary: 'Delete a session with its records and its snapshots.',
    answers: {
      204: { description: 'The session is deleted.' },
      404: { description: 'There is no such session.' },
    },
    run: async ({ sessions }, { name }: { name: string }) => {
      if (await sessions.delete(name)) return;
      throw new ControlError(404, `There is no session "${name}" to delete.`);
    },
  },
  getClock: {
    method: 'GET',
    path: '/clock',
    summary: 'Return the time of the session.',
    answers: { 200: TIME },
    run: async ({ session }) => timeOf(session),
  },
  setClock: {
    method: 'PUT',
    path: '/clock',
    summary: 'Set, stop, or start the clock of the session.',
    body: {
      type: 'object',
      additionalProperties: false,
      properties: { now: { type: 'string', format: 'date-time' }, frozen: { type: 'boolean' } },
      minProperties: 1,
    },
    answers: { 200: TIME, 422: WRONG_BODY },
    run: async ({ session }, { frozen, now }: { now?: Date | string; frozen?: boolean }) => {
      const time = typeof now === 'string' ? readNow(now) : now;
      const change = { ...(time && { now: time }), ...(frozen !== undefined && { frozen }) };
      await session.conditions.change(() => session.clock.set(change));
      return timeOf(session);
    },
  },
  advanceClock: {
    method: 'POST',
    path: '/clock/advance',
    summary: 'Move the clock of the session forward.',
    body: members(['ms'], { ms: { type: 'integer', minimum: 0, maximum: LATEST } }),
    answers: { 200: TIME, 422: WRONG_BODY },
    run: async ({ session }, { ms }: { ms: number }) => {
      await session.conditions.change(() => session.clock.advance(ms));
      return timeOf(session);
    },
  },
  ...FAULT_ACTIONS,
  ...JOURNAL_ACTIONS,
  ...FORWARD_ACTIONS,
} satisfies Readonly<Record<string, Action>>;

function timeOf({ clock }: Session) {
  return { now: clock.now().toISOString(), frozen: clock.frozen };
}

function readNow(text: string): Date {
  const time = readTime(text);
  if (time) return time;
  throw new ControlError(422, `now must be a time from 1970 to 9999, but is ${JSON.stringify(text)}.`);
}
