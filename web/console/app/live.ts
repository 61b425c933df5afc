import { useEffect, useState } from 'preact/hooks';
import type { RecordedRequest } from '../../../mock/control/request-log/request-log-view.ts';
import { CHANGED, type ConsoleApi } from './api.ts';
import { readRoute, sessionOf } from './route.ts';

/** Milliseconds before the next try to reach the mock. */
export const AGAIN = 1500;
/** Minimum number of milliseconds between two looks at the records. */
const PAUSE = 300;

/** The event of the page with new entries of the request log of all sessions. */
export const REQUESTS = 'mock-requests';

/** The event of the page after the console cleared the request log of a session. */
export const CLEARED = 'mock-cleared';

/** Whether the page follows the mock, and how often it has connected: the mock can have other data each time. */
export type Connection = { readonly state: 'starting' | 'up' | 'lost'; readonly turn: number };

/** Follows the requests to the mock, and connects again when the stream breaks. A page in the background follows none. */
export function useConnection(api: ConsoleApi): Connection {
  const [connection, setConnection] = useState<Connection>({ state: 'starting', turn: 1 });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ending: AbortController | undefined;
    const changeLater = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        dispatchEvent(new Event(CHANGED));
      }, PAUSE);
    };
    const take = (entries: readonly RecordedRequest[]) => {
      dispatchEvent(new CustomEvent(REQUESTS, { detail: entries }));
      const session = sessionOf(readRoute());
      if (entries.some((entry) => entry.method !== 'GET' && entry.session === session)) changeLater();
    };
    const connect = () =>
      setConnection(({ state, turn }) => {
        if (state === 'starting') return { state: 'up', turn };
        changeLater();
        return { state: 'up', turn: turn + 1 };
      });
    const follow = async (signal: AbortSignal) => {
      while (!signal.aborted) {
        try {
          const response = await api.open('/events?sessions=all', signal);
          if (response.ok && response.body) {
            connect();
            await readEvents(response.body, take);
          }
        } catch {
          // The next try shows whether the mock is back.
        }
        if (signal.aborted) return;
        setConnection(({ turn }) => ({ state: 'lost', turn }));
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
      }
    };
    const onVisibility = () => {
      if (document.hidden) {
        ending?.abort();
        ending = undefined;
      } else if (!ending) {
        ending = new AbortController();
        follow(ending.signal);
      }
    };
    onVisibility();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      clearTimeout(timer);
      ending?.abort();
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [api]);
  return connection;
}

/** Reads server-sent events (HTML standard, 9.2). Those that arrive together are taken together. */
async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (entries: readonly RecordedRequest[]) => void,
): Promise<void> {
  let rest = '';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  // Not all browsers can iterate over a stream.
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const events = (rest + part.value).split('\n\n');
    rest = events.pop() ?? '';
    const found = events.flatMap((event) => {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      return data === undefined ? [] : [JSON.parse(data) as RecordedRequest];
    });
    if (found.length > 0) take(found);
  }
}
