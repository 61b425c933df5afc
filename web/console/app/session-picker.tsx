import { SHARED } from './api.ts';
import { useConsole, useLoad } from './context.ts';
import { go, useRoute } from './route.ts';

export type SessionFacts = { readonly name: string; readonly from?: string };

/** Switches the session that all views show. */
export function SessionPicker() {
  const { api } = useConsole();
  const { path } = useRoute();
  const { value, reload } = useLoad(
    async () => (await api.in(SHARED).get<{ sessions: readonly SessionFacts[] }>('/sessions')).sessions,
    [api.session],
  );
  const names = new Set([SHARED, ...(value ?? []).map(({ name }) => name), api.session]);
  return (
    <label class="session">
      <span class="wide-only">Session</span>
      <select
        aria-label="Session"
        value={api.session}
        onFocus={reload}
        onChange={({ currentTarget: { value: name } }) =>
          go(path.slice(0, 2), { session: name === SHARED ? undefined : name })
        }
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
