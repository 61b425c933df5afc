import { useEffect, useRef, useState } from 'preact/hooks';
import type { RecordedRequest } from '../../../../mock/control/request-log/request-log-view.ts';
import { useListener } from '../../../ui/browser.ts';
import { matches } from '../../../ui/text.ts';
import { useConsole } from '../../app/context.ts';
import { CLEARED, REQUESTS } from '../../app/live.ts';

/** A request with its response, and the session that it was sent in. */
export type RequestEntry = RecordedRequest;

/** Maximum number of entries that the page keeps; the oldest ones go first. */
export const MOST_ENTRIES = 20_000;

export function keyOf({ id, session }: Pick<RequestEntry, 'id' | 'session'>): string {
  return `${session}/${id}`;
}

/** The request log of all sessions, newest first, as it grows. */
export function useRequestLog() {
  const { api, connection, run } = useConsole();
  const [entries, setEntries] = useState<readonly RequestEntry[]>([]);
  const [isLoaded, setIsLoaded] = useState(false);
  /** The entries of the stream, while the earlier ones are loaded. */
  const streamed = useRef<readonly RequestEntry[]>(undefined);
  const load = async () => {
    streamed.current = [];
    const query = { sessions: 'all', limit: MOST_ENTRIES };
    const { requests } = await api.get<{ requests: readonly RequestEntry[] }>('/requests', query);
    const all = join(streamed.current ?? [], requests.toReversed());
    streamed.current = undefined;
    setEntries((last) => (isContinued(all, last) ? join(all, last) : all));
  };
  useEffect(() => {
    if (connection.state === 'up') run(load).then(() => setIsLoaded(true));
  }, [api, run, connection]);
  useListener(REQUESTS, ({ detail }: CustomEvent<readonly RequestEntry[]>) => {
    const newest = detail.toReversed();
    if (streamed.current) streamed.current = join(newest, streamed.current);
    setEntries((last) => join(newest, last));
  });
  useListener(CLEARED, () => {
    setEntries([]);
    run(load);
  });
  return { entries, isLoaded };
}

/** Whether the loaded entries are of the same run of the mock as the known ones. A restarted mock counts from 1 again. */
function isContinued(loaded: readonly RequestEntry[], known: readonly RequestEntry[]): boolean {
  const signOf = (entry: RequestEntry) => [keyOf(entry), entry.at, entry.method, entry.path].join(' ');
  const signs = new Set(known.map(signOf));
  return known.length === 0 || loaded.some((entry) => signs.has(signOf(entry)));
}

/** Returns all entries once, newest first. */
function join(newer: readonly RequestEntry[], older: readonly RequestEntry[]): readonly RequestEntry[] {
  const [newest] = older;
  const isPlain = newest === undefined || newer.every((entry) => isAfter(entry, newest));
  if (isPlain) return [...newer, ...older].slice(0, MOST_ENTRIES);
  const all = new Map([...older, ...newer].map((entry) => [keyOf(entry), entry]));
  return [...all.values()].toSorted((one, other) => (isAfter(one, other) ? -1 : 1)).slice(0, MOST_ENTRIES);
}

function isAfter(one: RequestEntry, other: RequestEntry): boolean {
  if (one.session === other.session) return one.id > other.id;
  return one.at === other.at ? one.session > other.session : one.at > other.at;
}

export const CONDITIONS = ['text', 'method', 'status', 'in', 'fault', 'violations', 'ms'] as const;
/** The conditions of the list, as the address of the view has them. */
export type Conditions = Readonly<Partial<Record<(typeof CONDITIONS)[number], string>>>;

export const STATUSES = ['2xx', '3xx', '4xx', '5xx', 'dropped'] as const;

/** Returns a function that says whether an entry meets all conditions. */
export function meets(conditions: Conditions): (entry: RequestEntry) => boolean {
  const { fault, in: session, method, ms, status, text = '', violations } = conditions;
  const least = Number(ms ?? 0);
  return (entry) => {
    if (method !== undefined && method !== entry.method) return false;
    if (session !== undefined && session !== entry.session) return false;
    if (status !== undefined && status !== statusClass(entry.status)) return false;
    if (fault !== undefined && (fault === 'any' ? entry.fault === undefined : fault !== entry.fault))
      return false;
    if (violations !== undefined && (entry.violations?.length ?? 0) === 0) return false;
    if (least > 0 && entry.ms < least) return false;
    const wrong = entry.violations?.flatMap((one) => Object.values(one).map(String)) ?? [];
    const { detail, operation, path, request } = entry;
    const texts = [entry.method, path, request.query, operation, String(entry.status), detail, ...wrong];
    return text === '' || matches(texts, text);
  };
}

export function statusClass(status: number): (typeof STATUSES)[number] {
  if (status === 0) return 'dropped';
  return STATUSES[Math.floor(status / 100) - 2] ?? '2xx';
}

/** The color of a status. */
export function tone(status: number): 'pass' | 'skip' | 'blocked' | 'fail' {
  if (status === 0 || status >= 500) return 'fail';
  if (status >= 400) return 'blocked';
  return status >= 300 ? 'skip' : 'pass';
}
