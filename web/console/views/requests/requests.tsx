import './requests.css';
import { useMemo } from 'preact/hooks';
import { Check, Input } from '../../../ui/input.tsx';
import { countOf } from '../../../ui/text.ts';
import { Action, actionsOf } from '../../app/action.tsx';
import { shownName } from '../../app/api.ts';
import { useConsole } from '../../app/context.ts';
import { href, setQuery, useRoute } from '../../app/route.ts';
import { RequestDetail } from './request-detail.tsx';
import { RequestList } from './request-list.tsx';
import {
  CONDITIONS,
  type Conditions,
  keyOf,
  meets,
  type RequestEntry,
  STATUSES,
  useRequestLog,
} from './request-log.ts';

/** The live request log: a list with filters, and the open request next to it. */
export function RequestsView() {
  const console = useConsole();
  const { entries, isLoaded } = useRequestLog();
  const { path, query } = useRoute();
  const [, session, id] = path;
  const conditions: Conditions = query;
  const found = useMemo(() => entries.filter(meets(conditions)), [entries, JSON.stringify(query)]);
  const chosen = session === undefined || id === undefined ? '' : keyOf({ id: Number(id), session });
  const open = entries.find((entry) => keyOf(entry) === chosen);
  const empty =
    entries.length > 0
      ? 'No request meets these filters.'
      : isLoaded
        ? `No requests yet. Send one to ${console.api.root}, and it appears here.`
        : 'Loading…';
  return (
    <div class={`requests-view${chosen === '' ? '' : ' has-detail'}`}>
      <div class="above">
        <Filters conditions={conditions} entries={entries} />
        <p class="tools soft count">
          <span role="status">
            {found.length === entries.length
              ? countOf(entries.length, 'request')
              : `${found.length.toLocaleString('en')} of ${countOf(entries.length, 'request')}`}
          </span>
          <Action {...actionsOf(console).clearLog} />
          <Action
            title="Reset filters"
            disabled={CONDITIONS.every((name) => conditions[name] === undefined)}
            run={() => setQuery(Object.fromEntries(CONDITIONS.map((name) => [name, undefined])))}
          />
        </p>
      </div>
      <RequestList entries={found} chosen={chosen} empty={empty} />
      {chosen !== '' && (
        <div class="right">
          {open ? (
            <RequestDetail key={chosen} entry={open} back={href(['requests'], query)} />
          ) : (
            isLoaded && (
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

function Filters({ conditions, entries }: { conditions: Conditions; entries: readonly RequestEntry[] }) {
  const valuesOf = (name: 'method' | 'session' | 'fault') =>
    [...new Set(entries.flatMap((entry) => entry[name] ?? []))].sort();
  const inputOf = (name: keyof Conditions) => ({
    value: conditions[name] ?? '',
    change: (value: string) => setQuery({ [name]: value }),
  });
  const choices = [
    { name: 'method', label: 'Filter by method', all: 'All methods', known: valuesOf('method') },
    { name: 'status', label: 'Filter by status', all: 'All statuses', known: STATUSES },
    { name: 'in', label: 'Filter by session', all: 'All sessions', known: valuesOf('session') },
    { name: 'fault', label: 'Filter by fault', all: 'All faults', known: ['any', ...valuesOf('fault')] },
  ] as const;
  return (
    <search class="tools filters">
      <Input kind="search" label="Filter by path, operation, or message" {...inputOf('text')} />
      {choices.map(({ all, known, label, name }) => {
        const input = inputOf(name);
        const values = [...new Set([...known, input.value])].filter(Boolean);
        const titleOf = (one: string) => (name === 'in' ? shownName(one) : one === 'any' ? 'any fault' : one);
        return (
          <Input
            key={name}
            label={label}
            options={[['', all], ...values.map((one) => [one, titleOf(one)] as const)]}
            {...input}
          />
        );
      })}
      <Check
        checked={conditions.violations !== undefined}
        change={(isOn) => setQuery({ violations: isOn ? 1 : undefined })}
      >
        Violations
      </Check>
      <span class="check">
        At least
        <Input
          kind="number"
          class="short"
          min={0}
          label="Minimum duration in milliseconds"
          {...inputOf('ms')}
        />
        ms
      </span>
    </search>
  );
}
