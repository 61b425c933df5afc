import { useEffect } from 'preact/hooks';
import type { Api } from './api.ts';
import { useConsole } from './context.ts';
import { follow } from './live.ts';

/** The event after the console wrote records, for its views. The request log doesn't have these requests. */
const WRITTEN = 'console-wrote';
/** Minimum number of milliseconds between two loads of the records. */
const PAUSE = 300;

type Written = { readonly method: string };
type Undone = {
  readonly undone: {
    readonly records: readonly {
      readonly model: string;
      readonly id: number;
      readonly change: 'created' | 'changed' | 'deleted';
    }[];
  };
};

/** Calls `reload` after writes to the session. A page in the background follows none, and reloads when it is shown. */
export function useWrites(api: Api, reload: () => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ending: AbortController | undefined;
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        reload();
      }, PAUSE);
    };
    const start = () => {
      if (document.hidden || ending) return;
      ending = new AbortController();
      let isFirst = true;
      follow<Written>(api, '/events', {
        query: {},
        take: (found) => {
          if (found.some(({ method }) => method !== 'GET' && method !== 'HEAD')) later();
        },
        setState: (isConnected) => {
          // The mock may have other records after a time without a connection.
          if (isConnected && !isFirst) later();
          isFirst = false;
        },
        signal: ending.signal,
      });
    };
    const onVisibility = () => {
      if (document.hidden) {
        ending?.abort();
        ending = undefined;
      } else {
        start();
        later();
      }
    };
    start();
    addEventListener(WRITTEN, later);
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      clearTimeout(timer);
      ending?.abort();
      removeEventListener(WRITTEN, later);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [api, reload]);
}

/** Returns the action that takes back the last write of the session, and says which one it was. */
export function useUndo(): () => Promise<void> {
  const { api, fail, say } = useConsole();
  return async () => {
    try {
      const { undone } = await api.post<Undone>('/undo');
      say(`The last write is undone. ${describe(undone.records)}`);
    } catch (error) {
      fail(error);
    }
    dispatchEvent(new Event(WRITTEN));
  };
}

function describe(records: Undone['undone']['records']): string {
  const [first] = records;
  if (!first) return '';
  const more = records.length > 1 ? ` The same holds for ${records.length - 1} more.` : '';
  const name = `${first.model} ${first.id}`;
  return {
    created: `${name} is removed again.${more}`,
    changed: `${name} has its earlier values.${more}`,
    deleted: `${name} is back.${more}`,
  }[first.change];
}
