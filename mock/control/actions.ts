import { UsageError } from '../../spec/files/usage-error.ts';
import { describeContract } from '../../spec/meta/meta.ts';
import { describeProfile, SETTINGS } from '../../spec/profile/profile.ts';
import { LATEST, readTime } from '../../spec/types/times.ts';
import type { ForwardChange } from '../forwarding/forwarding.ts';
import { SESSION_NAME } from '../http/http.ts';
import { type Action, type ActionParts, WRONG_BODY } from './action.ts';
import { ControlError } from './control-error.ts';
import type { FaultRule } from './faults/fault-rule.ts';
import { RECORD_ACTIONS } from './records/record-actions.ts';
import { LOG_ACTIONS } from './request-log/request-log-actions.ts';
import {
  all,
  BOOLEAN,
  given,
  listOf,
  MOMENT,
  members,
  OBJECT,
  object,
  oneOf,
  schemaOf,
  TEXT,
} from './schema.ts';
import type { Session } from './sessions/session.ts';
import { START, snapshotName } from './sessions/sessions.ts';
import type { State } from './sessions/state.ts';

const NAME = { type: 'string', pattern: SESSION_NAME.source };
const STATE = schemaOf('State');
const OK = object({ status: oneOf('ok') });
const CONTRACT = object({
  title: TEXT,
  version: TEXT,
  base: TEXT,
  areas: all(OBJECT),
  models: { type: 'object', additionalProperties: OBJECT },
  profile: all(OBJECT),
});

const SETTINGS_OF_SESSION = ['Each setting with its value.', OBJECT] as const;
const TIME = ['The time of the session.', schemaOf('Clock')] as const;
const NO_SNAPSHOT = 'There is no such snapshot.';
const NO_FAULT = 'The session has no such fault.';
const NO_FORWARD = 'The mock was started without --forward.';
/** The actions by their operationId, in the order of the document. */
export const ACTIONS = {
  getLive: {
    route: 'GET /live',
    summary: 'Check that the process runs. Open to all clients.',
    answers: { 200: ['The process runs.', OK] },
    run: async () => ({ status: 'ok' }),
  },
  getReady: {
    route: 'GET /ready',
    summary: 'Check that the mock can serve requests. Open to all clients.',
    answers: { 200: ['The mock can serve requests.', OK], 503: 'The database does not respond.' },
    run: async ({ check }: Pick<ActionParts, 'check'>) => {
      await check();
      return { status: 'ok' };
    },
  },
  getHealth: {
    route: 'GET /health',
    summary: 'Return the version, the profile, and the number of sessions.',
    answers: { 200: ['The mock runs.', OBJECT] },
    run: async ({ contract, session, sessions }) => ({
      status: 'ok',
      version: contract.catalogue.version,
      profile: describeProfile(session.profile.current).join(', ') || 'default',
      sessions: (await sessions.all()).length,
    }),
  },
  getProfile: {
    route: 'GET /profile',
    summary: 'Return the settings of the session.',
    answers: { 200: SETTINGS_OF_SESSION },
    run: async ({ session }) => session.profile.current,
  },
  setProfile: {
    route: 'PUT /profile',
    summary:
      'Change settings of the session. Settings that the body does not name keep their values. null restores the value of the start of the mock, and a reset restores all.',
    body: {
      ...OBJECT,
      description: `Values of settings by name, such as {"status.created":200}. These can change: ${describeLive()}.`,
    },
    bodyAs: 'settings',
    answers: {
      200: SETTINGS_OF_SESSION,
      422: 'A setting is unknown, invalid, or must not change. Nothing has changed.',
    },
    run: async ({ session }, { settings }: { readonly settings: Readonly<Record<string, unknown>> }) => {
      await session.conditions.change(() => session.profile.set(settings));
      return session.profile.current;
    },
  },
  getContract: {
    route: 'GET /contract',
    summary: 'Return the facts of the contract: areas, models, fields, and settings, each with its basis.',
    answers: { 200: ['The facts.', CONTRACT] },
    run: async ({ contract, session }) => describeContract({ ...contract, profile: session.profile.current }),
  },
  reset: {
    route: 'POST /reset',
    summary: 'Reset the session: records, IDs, clock, faults, settings, and request log.',
    answers: { 204: 'The session is as it was at its start.' },
    run: async ({ session, sessions }) => {
      await sessions.reset(session);
      session.requestLog.clear();
    },
  },
  getState: {
    route: 'GET /state',
    summary: 'Return the records of the session as fixtures.',
    query: { models: given('Return only these models, separated by commas.', all(TEXT)) },
    answers: { 200: ['The records by model.', STATE] },
    run: ({ session, state }, { models }: { readonly models?: readonly string[] | undefined }) =>
      state.read(session, models),
    stream: ({ session, state }, { models }) => state.stream(session, models),
  },
  replaceState: {
    route: 'PUT /state',
    summary: 'Replace all records of the session. If one is invalid, nothing changes.',
    body: STATE,
    answers: { 204: 'The records are stored.', 422: WRONG_BODY },
    run: ({ session, state }, records: State) => state.write(session, records, 'all'),
  },
  patchState: {
    route: 'PATCH /state',
    summary: 'Replace the records of the models in the body. If one is invalid, nothing changes.',
    body: STATE,
    answers: { 204: 'The records are stored.', 422: WRONG_BODY },
    run: ({ session, state }, records: State) => state.write(session, records, 'named'),
  },
  ...RECORD_ACTIONS,
  listSnapshots: {
    route: 'GET /snapshots',
    summary: 'List the names of the snapshots that the session can use.',
    answers: { 200: ['The names, oldest first.', listOf('snapshots', NAME)] },
    run: async ({ session, snapshots }) => ({ snapshots: await snapshots.list(session) }),
  },
  createSnapshot: {
    route: 'POST /snapshots',
    summary:
      'Save the records and IDs of the session as a snapshot. It belongs to the session, and is deleted with it. If `shared` is true, or the request names no session, all sessions can use it.',
    body: members(['name'], { name: NAME, shared: BOOLEAN }),
    answers: { 201: 'The snapshot is saved. It replaces an older one with the same name.', 422: WRONG_BODY },
    run: async ({ needMemory, session, snapshots }, { name, shared }: { name: string; shared?: boolean }) => {
      needMemory();
      await snapshots.save(session, name, shared);
      return { name };
    },
  },
  restoreSnapshot: {
    route: 'POST /snapshots/{name}/restore',
    summary: 'Replace the records and IDs of the session with those of a snapshot.',
    answers: { 204: 'The session has the records and IDs of the snapshot.', 404: NO_SNAPSHOT },
    run: ({ session, snapshots }, { name }: { name: string }) => snapshots.restore(session, name),
  },
  deleteSnapshot: {
    route: 'DELETE /snapshots/{name}',
    summary: 'Delete a snapshot. Sessions that started from it do not change.',
    answers: { 204: 'The snapshot is deleted.', 404: NO_SNAPSHOT },
    run: ({ session, snapshots }, { name }: { name: string }) => snapshots.forget(session, name),
  },
  listSessions: {
    route: 'GET /sessions',
    summary: 'List all sessions, the shared session (`default`) first.',
    answers: {
      200: [
        'The name of each session, and of the snapshot that it started from, if any.',
        listOf('sessions', OBJECT),
      ],
    },
    run: async ({ sessions }) => ({
      sessions: (await sessions.all()).map(({ from, name }) =>
        from === START ? { name } : { name, from: snapshotName(from) },
      ),
    }),
  },
  createSession: {
    route: 'POST /sessions',
    summary: 'Create a session, from a snapshot or from the start records of the mock.',
    body: members(['name'], { name: NAME, from: NAME }),
    answers: {
      201: 'The session is created.',
      404: NO_SNAPSHOT,
      409: 'A session with this name exists.',
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
    route: 'DELETE /sessions/{name}',
    summary: 'Delete a session with its records and its snapshots.',
    answers: { 204: 'The session is deleted.', 404: 'There is no such session.' },
    run: async ({ sessions }, { name }: { name: string }) => {
      if (await sessions.delete(name)) return;
      throw new ControlError(404, `There is no session "${name}" to delete.`);
    },
  },
  getClock: {
    route: 'GET /clock',
    summary: 'Return the time of the session.',
    answers: { 200: TIME },
    run: async ({ session }) => timeOf(session),
  },
  setClock: {
    route: 'PUT /clock',
    summary: 'Set, stop, or start the clock of the session.',
    body: { ...members([], { now: MOMENT, frozen: BOOLEAN }), minProperties: 1 },
    answers: { 200: TIME, 422: WRONG_BODY },
    run: async ({ session }, { frozen, now }: { now?: Date | string; frozen?: boolean }) => {
      const time = typeof now === 'string' ? readTime(now) : now;
      if (now !== undefined && !time)
        throw new ControlError(422, `now must be a time from 1970 to 9999, but is ${JSON.stringify(now)}.`);
      const change = { ...(time && { now: time }), ...(frozen !== undefined && { frozen }) };
      await session.conditions.change(() => session.clock.set(change));
      return timeOf(session);
    },
  },
  advanceClock: {
    route: 'POST /clock/advance',
    summary: 'Move the clock of the session forward.',
    body: members(['ms'], { ms: { type: 'integer', minimum: 0, maximum: LATEST } }),
    answers: { 200: TIME, 422: WRONG_BODY },
    run: async ({ session }, { ms }: { ms: number }) => {
      await session.conditions.change(() => session.clock.advance(ms));
      return timeOf(session);
    },
  },
  listFaults: {
    route: 'GET /faults',
    summary: 'List the faults of the session, with the number of times that each was applied.',
    answers: { 200: ['The faults, oldest first.', listOf('faults', OBJECT)] },
    run: async ({ session }) => ({
      faults: await session.conditions.change(() => session.faults.list(), 'counted'),
    }),
  },
  createFault: {
    route: 'POST /faults',
    summary: 'Add a fault. If several faults match a request, the newest applies.',
    body: schemaOf('Fault'),
    answers: { 201: ['The fault is active.', object({ id: TEXT })], 422: WRONG_BODY },
    run: async ({ needMemory, readFault, session }, rule: FaultRule) => {
      needMemory();
      const own = readFault(rule);
      const { id } = await session.conditions.change(() => session.faults.add(own));
      return { id };
    },
  },
  setFault: {
    route: 'PATCH /faults/{id}',
    summary: 'Enable or disable a fault of the session. It keeps its counts.',
    body: members(['enabled'], { enabled: BOOLEAN }),
    answers: { 204: 'The fault is enabled or disabled.', 404: NO_FAULT, 422: WRONG_BODY },
    run: ({ session }, { enabled, id }: { id: string; enabled: boolean }) =>
      session.conditions.change(() => session.faults.enable(id, enabled)),
  },
  clearFaults: {
    route: 'DELETE /faults',
    summary: 'Delete all faults of the session.',
    answers: { 204: 'All faults are deleted.' },
    run: ({ session }) => session.conditions.change(() => session.faults.clear()),
  },
  deleteFault: {
    route: 'DELETE /faults/{id}',
    summary: 'Delete a fault of the session.',
    answers: { 204: 'The fault is deleted.', 404: NO_FAULT },
    run: ({ session }, { id }: { id: string }) => session.conditions.change(() => session.faults.remove(id)),
  },
  ...LOG_ACTIONS,
  // The forwarded models concern all sessions.
  getForward: {
    route: 'GET /forward',
    summary: 'Return the service that answers some models, in all sessions.',
    answers: { 200: ['The service, and the models.', schemaOf('Forward')], 404: NO_FORWARD },
    run: async (parts) => forwardOf(parts).state(),
  },
  changeForward: {
    route: 'PATCH /forward',
    summary: 'Start or stop forwarding, or choose the forwarded models, in all sessions.',
    body: {
      ...members([], { enabled: BOOLEAN, models: { ...all(TEXT), uniqueItems: true } }),
      minProperties: 1,
    },
    answers: {
      200: ['The service, and the models from now on.', schemaOf('Forward')],
      404: NO_FORWARD,
      422: WRONG_BODY,
    },
    run: async (parts, wanted: ForwardChange) => {
      const own = forwardOf(parts);
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

function timeOf({ clock }: Session) {
  return { now: clock.now().toISOString(), frozen: clock.frozen };
}

function forwardOf({ forward }: Pick<ActionParts, 'forward'>) {
  if (forward) return forward;
  throw new ControlError(
    404,
    'The mock forwards no requests. To let a service answer some models, start it with --forward URL.',
  );
}

function describeLive(): string {
  return SETTINGS.flatMap(({ live, name }) => {
    if (live === undefined) return [];
    return live === 'all' ? name : `default and max of ${name}`;
  }).join(', ');
}
