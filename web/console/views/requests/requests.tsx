import './requests.css';
import { useMemo, useState } from 'preact/hooks';
import { countOf } from '../../../ui/text.ts';
import { SHARED, shownName } from '../../app/api.ts';
import { useCommands, useConsole } from '../../app/context.ts';
import { saveFile } from '../../app/files.ts';
import { href, setQuery, useRoute } from '../../app/route.ts';
import type { SessionFacts } from '../../app/session-picker.tsx';
import { CONDITIONS, type Conditions, meets, STATUSES } from './filter.ts';
import { keyOf, useJournal } from './journal.ts';
import { RequestDetail } from './request-detail.tsx';
import { RequestList } from './request-list.tsx';

/** The live request log: a list with filters, and the open request next to it. */
export function RequestsView() {
  const { api, fail } = useConsole();
  const journal = useJournal();
  const { path, query } = useRoute();
  const [isFollowing, setIsFollowing] = useState(true);
  const [, session, id] = path;
  const conditions: Conditions = query;
  const { entries } = journal;
  const found = useMemo(() => entries.filter(meets(conditions)), [entries, JSON.stringify(query)]);
  const chosen = session === undefined || id === undefined ? '' : keyOf({ id: Number(id), session });
  const open = entries.find((entry) => keyOf(entry) === chosen);
  const clear = async () => {
    try {
      const { sessions } = await api.in(SHARED).get<{ sessions: readonly SessionFacts[] }>('/sessions');
      // A request in a session that is deleted would create it again.
      for (const { name } of sessions)
        if (entries.some(({ session }) => session === name)) await api.in(name).delete('/requests');
      journal.clear();
    } catch (error) {
      fail(error);
    }
  };
  const exportHar = async () => {
    try {
      saveFile('requests.har', JSON.stringify(await api.get('/requests/har', { sessions: 'all' }), null, 2));
    } catch (error) {
      fail(error);
    }
  };
  useCommands(
    [
      { title: journal.isPaused ? 'Resume the list' : 'Pause the list', group: 'Requests', run: toggle },
      { title: 'Clear the request log', group: 'Requests', run: clear },
      { title: 'Export HAR', group: 'Requests', run: exportHar },
    ],
    [journal],
  );
  function toggle() {
    if (journal.isPaused) journal.resume();
    else journal.pause();
  }
  const empty =
    entries.length > 0
      ? 'No request meets these filters.'
      : journal.isLoaded
        ? `No requests yet. Send one to ${api.root}, and it appears here.`
        : 'Loading…';
  return (
    <div class={`requests-view${chosen === '' ? '' : ' has-detail'}`}>
      <div class="above">
        <Filters conditions={conditions} options={optionsOf(entries)} />
        <p class="tools count">
          <span role="status">
            {found.length === entries.length
              ? countOf(entries.length, 'request')
              : `${found.length.toLocaleString('en')} of ${countOf(entries.length, 'request')}`}
            {journal.waiting > 0 && `, ${journal.waiting.toLocaleString('en')} new`}
            {!journal.isConnected && '. The mock does not respond.'}
          </span>
          <button type="button" class="plain" aria-pressed={journal.isPaused} onClick={toggle}>
            {journal.isPaused ? 'Resume' : 'Pause'}
          </button>
          <button
            type="button"
            class="plain"
            aria-pressed={isFollowing}
            title="Stay at the newest request"
            onClick={() => setIsFollowing(!isFollowing)}
          >
            {isFollowing ? 'Following' : 'Follow'}
          </button>
          <button type="button" class="plain" onClick={clear}>
            Clear
          </button>
          <button type="button" class="plain" onClick={exportHar}>
            Export HAR
          </button>
          <button
            type="button"
            class="plain"
            disabled={CONDITIONS.every((name) => conditions[name] === undefined)}
            onClick={() => setQuery(Object.fromEntries(CONDITIONS.map((name) => [name, undefined])))}
          >
            Reset filters
          </button>
        </p>
      </div>
      <div class="left">
        <RequestList
          entries={found}
          chosen={chosen}
          isFollowing={isFollowing}
          leaveNewest={() => setIsFollowing(false)}
          empty={empty}
        />
      </div>
      {chosen !== '' && (
        <div class="right">
          {open ? (
            <RequestDetail key={chosen} entry={open} back={href(['requests'], query)} />
          ) : (
            journal.isLoaded && (
              <p class="soft">
                The request log does not have this request. It was cleared, or newer requests replaced it.{' '}
                <a href={href(['requests'], query)}>Show all requests</a>
              </p>
            )
          )}
        </div>
      )}
    </div>
  );
}

type Options = Readonly<Record<'methods' | 'sessions' | 'faults', readonly string[]>>;

function optionsOf(entries: readonly { method: string; session?: string; fault?: string }[]): Options {
  const valuesOf = (name: 'method' | 'session' | 'fault') =>
    [...new Set(entries.flatMap((entry) => entry[name] ?? []))].sort();
  return { methods: valuesOf('method'), sessions: valuesOf('session'), faults: valuesOf('fault') };
}

function Filters({ conditions, options }: { conditions: Conditions; options: Options }) {
  return (
    <search class="filters">
      <input
        type="search"
        aria-label="Filter by path, operation, status, or message"
        placeholder="Filter by path, operation, or message"
        value={conditions.text ?? ''}
        onInput={({ currentTarget }) => setQuery({ text: currentTarget.value || undefined })}
      />
      <Picker name="method" all="All methods" value={conditions.method} options={options.methods} />
      <Picker name="status" all="All statuses" value={conditions.status} options={STATUSES} />
      <Picker name="in" all="All sessions" value={conditions.in} options={options.sessions} />
      <Picker name="fault" all="All faults" value={conditions.fault} options={['any', ...options.faults]} />
      <label class="check">
        <input
          type="checkbox"
          checked={conditions.violations !== undefined}
          onChange={({ currentTarget }) => setQuery({ violations: currentTarget.checked ? 1 : undefined })}
        />
        Violations
      </label>
      <label class="check">
        At least
        <input
          type="number"
          class="short"
          min={0}
          aria-label="Minimum duration in milliseconds"
          value={conditions.ms ?? ''}
          onInput={({ currentTarget }) => setQuery({ ms: currentTarget.value || undefined })}
        />
        ms
      </label>
    </search>
  );
}

function Picker({
  name,
  all,
  value,
  options,
}: {
  name: string;
  all: string;
  value: string | undefined;
  options: readonly string[];
}) {
  const shown = value === undefined || options.includes(value) ? options : [...options, value];
  return (
    <select
      aria-label={all.replace('All ', 'Filter by ').replace(/(s|es)$/, '')}
      value={value ?? ''}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value || undefined })}
    >
      <option value="">{all}</option>
      {shown.map((one) => (
        <option key={one} value={one}>
          {name === 'in' ? shownName(one) : one === 'any' ? 'any fault' : one}
        </option>
      ))}
    </select>
  );
}
