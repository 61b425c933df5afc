import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '../spec/files/usage-error.ts';
import { isProbe } from './control/address.ts';
import type { Ongoing, Session } from './control/sessions/session.ts';
import type { State } from './control/sessions/state.ts';
import type { Served } from './http/server.ts';
import type { Mock, MockParts } from './mock.ts';

/** Serves a mock that can be replaced while requests arrive. */
export function createReloading(first: Mock) {
  let mock = first;
  let last: Promise<void> = Promise.resolve();
  const served: Served = {
    // Requests wait during a replacement, so that no write goes to the old mock. Probes do not wait.
    handle: async (request, whenDone) => {
      if (!isProbe(request.target)) await last;
      return mock.handle(request, whenDone);
    },
    bodyLimit: (target) => mock.bodyLimit(target),
    get profile() {
      return mock.profile;
    },
    refuse: (status, detail) => mock.refuse(status, detail),
  };
  return {
    get mock() {
      return mock;
    },
    served,
    /** Replaces the mock with the result of `make`, one replacement at a time. If `make` rejects, the mock stays. */
    reload: (make: (old: Mock) => Promise<Mock>) => {
      const replaced = last.then(async () => {
        const next = await make(mock);
        if (mock.parts.forward) next.parts.forward?.adopt(mock.parts.forward);
        mock = next;
      });
      last = replaced.catch(() => {});
      return replaced;
    },
  };
}

type FixtureList = State[string];

/** The clock, the faults and the journal of each session, for the options of a mock that goes on with them. */
export function ongoingOf({ parts }: Mock): Ongoing {
  return new Map(parts.sessions.list().map((session) => [session.name, session]));
}

/**
 * Applies the changes in each session since the start of one mock to another. Returns a line for each that does not fit.
 * Snapshots are not carried over, because they have the first records of the old mock.
 */
export async function carryOver(from: Mock, to: Mock): Promise<string[]> {
  // Both then show the records of the same models.
  if (from.parts.forward) to.parts.forward?.adopt(from.parts.forward);
  const beginning = await (await from.fork()).state();
  const lost: string[] = [];
  for (const session of from.parts.sessions.list()) {
    const next = await to.parts.sessions.use(session.name);
    lost.push(...(await writeChanges(to.parts, next, beginning, await from.parts.state.read(session))));
  }
  return lost;
}

/** Puts what changed between two states on top of that of a session. */
async function writeChanges(
  { state }: MockParts,
  session: Session,
  before: State,
  now: State,
): Promise<string[]> {
  if (isDeepStrictEqual(now, before)) return [];
  const next = await state.read(session);
  const models = new Set([...Object.keys(before), ...Object.keys(now)]);
  const lost: string[] = [];
  // Model by model: a field that is gone from one is no reason to lose the others.
  for (const model of models) {
    if (isDeepStrictEqual(now[model], before[model])) continue;
    const records = overlay(next[model] ?? [], before[model] ?? [], now[model] ?? []);
    try {
      await state.write(session, { [model]: records }, 'named');
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      lost.push(...error.message.split('\n'));
    }
  }
  return lost;
}

function overlay(next: FixtureList, before: FixtureList, now: FixtureList): FixtureList {
  const was = new Map(before.map((record) => [record.id, record]));
  const written = now.filter((record) => !isDeepStrictEqual(record, was.get(record.id)));
  const kept = new Set(now.map(({ id }) => id));
  const gone = new Set([
    ...before.map(({ id }) => id).filter((id) => !kept.has(id)),
    ...written.map(({ id }) => id),
  ]);
  return [...next.filter(({ id }) => !gone.has(id)), ...written];
}
