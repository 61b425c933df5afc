import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RecordedRequest } from '../../../../mock/control/journal/journal-view.ts';
import { useConsole } from '../../app/context.ts';
import { follow } from '../../app/live.ts';

/** A request with its response, and the session that it was sent in. */
export type Entry = RecordedRequest & { readonly session?: string; readonly forwarded?: boolean };

/** Maximum number of entries that the page keeps; the oldest ones go first. */
export const MOST_ENTRIES = 20_000;

export function keyOf({ id, session = '' }: Pick<Entry, 'id' | 'session'>): string {
  return `${session}/${id}`;
}

/** The request log of all sessions, newest first, as it grows. While it is paused, new entries wait. */
export function useJournal() {
  const { api, fail } = useConsole();
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const [isPaused, setIsPaused] = useState(false);
  const [waiting, setWaiting] = useState<readonly Entry[]>([]);
  const [isConnected, setIsConnected] = useState(true);
  const [isLoaded, setIsLoaded] = useState(false);
  // An event can arrive between a click and the next drawing.
  const paused = useRef(false);
  useEffect(() => {
    const ending = new AbortController();
    /** The entries of the stream since it connected, until the earlier ones are loaded. */
    let streamed: readonly Entry[] | undefined;
    const load = async () => {
      const { requests } = await api.get<{ requests: readonly Entry[] }>('/requests', {
        sessions: 'all',
        limit: MOST_ENTRIES,
      });
      if (ending.signal.aborted) return;
      const all = join(streamed ?? [], requests.toReversed());
      streamed = undefined;
      setEntries((last) => (isContinued(all, last) ? join(all, last) : all));
    };
    const start = () => {
      streamed = [];
      load()
        .catch(fail)
        .finally(() => setIsLoaded(true));
    };
    follow<Entry>(api, '/events', {
      query: { sessions: 'all' },
      take: (found) => {
        const newest = found.toReversed();
        if (streamed) streamed = join(newest, streamed);
        const add = paused.current ? setWaiting : setEntries;
        add((last) => join(newest, last));
      },
      setState: (connected) => {
        setIsConnected(connected);
        // Loads the entries from before the stream, and from the time without one.
        if (connected) start();
      },
      signal: ending.signal,
    });
    return () => ending.abort();
  }, [api, fail]);
  return useMemo(
    () => ({
      entries,
      isConnected,
      isLoaded,
      isPaused,
      waiting: waiting.length,
      pause: () => {
        paused.current = true;
        setIsPaused(true);
      },
      resume: () => {
        paused.current = false;
        setIsPaused(false);
        setEntries((last) => join(waiting, last));
        setWaiting([]);
      },
      clear: () => {
        setEntries([]);
        setWaiting([]);
      },
    }),
    [entries, isConnected, isLoaded, isPaused, waiting],
  );
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
  return one.at === other.at ? (one.session ?? '') > (other.session ?? '') : one.at > other.at;
}
