import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '../spec/files/usage-error.ts';
import type { State } from './control/sessions/state.ts';
import type { Mock } from './mock.ts';

type Records = State[string];

/**
 * Lets a mock go on where another left off: what was made, changed or removed since the beginning of the one, in each
 * session, is so in the other too, on top of what that one begins with. Gives what does not fit any more, a line each.
 */
export async function carryOver(from: Mock, to: Mock): Promise<string[]> {
  const before = await (await from.fork()).state();
  const lost: string[] = [];
  for (const name of await from.sessions()) {
    const now = await from.session(name).state();
    if (isDeepStrictEqual(now, before)) continue;
    const session = to.session(name);
    const next = await session.state();
    const models = new Set([...Object.keys(before), ...Object.keys(now)]);
    const changed = [...models].filter((model) => !isDeepStrictEqual(now[model], before[model]));
    // Model by model: a field that is gone from one is no reason to lose the others.
    for (const model of changed) {
      const records = overlay(next[model] ?? [], before[model] ?? [], now[model] ?? []);
      try {
        await session.patchState({ [model]: records });
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        lost.push(...error.message.split('\n'));
      }
    }
  }
  return lost;
}

function overlay(next: Records, before: Records, now: Records): Records {
  const was = new Map(before.map((record) => [record.id, record]));
  const written = now.filter((record) => !isDeepStrictEqual(record, was.get(record.id)));
  const kept = new Set(now.map(({ id }) => id));
  const gone = new Set([
    ...before.map(({ id }) => id).filter((id) => !kept.has(id)),
    ...written.map(({ id }) => id),
  ]);
  return [...next.filter(({ id }) => !gone.has(id)), ...written];
}
