import { useEffect, useState } from 'preact/hooks';
import type { RecordedRequest } from '../../../../mock/control/request-log/request-log-view.ts';
import { useConsole } from '../../app/context.ts';
import { CLEARED, REQUESTS } from '../../app/live.ts';

/** A request with its response, and the session that it was sent in. */
export type Entry = RecordedRequest;

/** Maximum number of entries that the page keeps; the oldest ones go first. */
export const MOST_ENTRIES = 20_000;

export function keyOf({ id, session }: Pick<Entry, 'id' | 'session'>): string {
  return `${session}/${id}`;
}

/** The request log of all sessions, newest first, as it grows. */
export function useRequestLog() {
  const { api, connection, run } = useConsole();
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const [isLoaded, setIsLoaded] = useState(false);
  useEffect(() => {
    if (connection.state !== 'up') return;
    let isOver = false;
    /** The entries of the stream, until the earlier ones are loaded. */
    let streamed: readonly Entry[] | undefined;
    const load = async () => {
      streamed = [];
      const { requests } = await api.get<{ requests: readonly Entry[] }>('/requests', {
        sessions: 'all',
        limit: MOST_ENTRIES,
      });
      if (isOver) return;
      const all = join(streamed, requests.toReversed());
      streamed = undefined;
      setEntries((last) => (isContinued(all, last) ? join(all, last) : all));
    };
    const take = (event: Event) => {
      const newest = (event as CustomEvent<readonly Entry[]>).detail.toReversed();
      if (streamed) streamed = join(newest, streamed);
      setEntries((last) => join(newest, last));
    };
    const clear = () => {
      setEntries([]);
      run(load);
    };
    run(load).then(() => setIsLoaded(true));
    addEventListener(REQUESTS, take);
    addEventListener(CLEARED, clear);
    return () => {
      isOver = true;
      removeEventListener(REQUESTS, take);
      removeEventListener(CLEARED, clear);
    };
  }, [api, run, connection]);
  return { entries, isLoaded };
}

/** Whether the loaded entries are of the same run of the mock as the known ones. A restarted mock counts from 1 again. */
function isContinued(loaded: readonly Entry[], known: readonly Entry[]): boolean {
  const signOf = (entry: Entry) => [keyOf(entry), entry.at, entry.method, entry.path].join(' ');
  const signs = new Set(known.map(signOf));
  return known.length === 0 || loaded.some((entry) => signs.has(signOf(entry)));
}

/** Returns all entries once, newest first. */
function join(newer: readonly Entry[], older: readonly Entry[]): readonly Entry[] {
  const [newest] = older;
  const isPlain = newest === undefined || newer.every((entry) => isAfter(entry, newest));
  if (isPlain) return [...newer, ...older].slice(0, MOST_ENTRIES);
  const all = new Map([...older, ...newer].map((entry) => [keyOf(entry), entry]));
  return [...all.values()].toSorted((one, other) => (isAfter(one, other) ? -1 : 1)).slice(0, MOST_ENTRIES);
}

function isAfter(one: Entry, other: Entry): boolean {
  if (one.session === other.session) return one.id > other.id;
  return one.at === other.at ? one.session > other.session : one.at > other.at;
}
