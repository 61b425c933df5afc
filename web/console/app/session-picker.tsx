import type { ComponentChildren } from 'preact';
import { Button } from '../../ui/parts.tsx';
import { visible } from '../../ui/text.ts';
import { type ConsoleApi, SHARED } from './api.ts';
import { useConsole, useLoad } from './context.ts';
import { go, inSession, useRoute } from './route.ts';

export type SessionFacts = { readonly name: string; readonly from?: string };

/** Returns the sessions, the shared one first. */
export async function sessionsOf(api: ConsoleApi): Promise<readonly SessionFacts[]> {
  return (await api.in(SHARED).get<{ sessions: readonly SessionFacts[] }>('/sessions')).sessions;
}

/**
 * Shows its children if the session of the address exists, and otherwise asks before it creates the session: a link on
 * any page can name one, and a new session can replace another one.
 */
export function InSession({ children }: { readonly children: ComponentChildren }) {
  const { api, run } = useConsole();
  const { session } = api;
  const { path } = useRoute();
  const isShared = session === SHARED;
  const { error, value: isThere } = useLoad(
    async () => isShared || (await sessionsOf(api)).some(({ name }) => name === session),
    [session],
  );
  if (isShared || isThere) return <>{children}</>;
  if (error) return <p class="notice fail">{error.message}</p>;
  if (isThere === undefined) return <p class="soft">Loading…</p>;
  return (
    <section>
      <p>There is no session "{visible(session)}". A session has its own copy of the start records.</p>
      <p class="tools">
        <Button
          title="Create it"
          kind="primary"
          run={() => run(() => api.in(SHARED).post('/sessions', { name: session }))}
        />
        <Button title="Show the shared session" run={() => go(path.slice(0, 1), inSession(SHARED))} />
      </p>
    </section>
  );
}

/** Switches the session that all views show. */
export function SessionPicker() {
  const { api } = useConsole();
  const { path } = useRoute();
  const { value, reload } = useLoad(() => sessionsOf(api), [api.session]);
  const names = new Set([SHARED, ...(value ?? []).map(({ name }) => name), api.session]);
  return (
    <label class="tools session">
      <span class="wide-only">Session</span>
      <select
        aria-label="Session"
        value={api.session}
        onFocus={reload}
        onChange={({ currentTarget }) => {
          const name = currentTarget.value;
          // The reader can still decide to stay.
          currentTarget.value = api.session;
          go(path.slice(0, 2), inSession(name));
        }}
      >
        {[...names].map((name) => (
          <option key={name} value={name}>
            {name === SHARED ? 'shared session' : name}
          </option>
        ))}
      </select>
    </label>
  );
}
