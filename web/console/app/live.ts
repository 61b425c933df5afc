import type { Api } from './api.ts';

/** Milliseconds before the next try to reach the mock. */
const AGAIN = 1500;

/** The event of the page when the mock is back, which can have another contract. */
export const RECONNECTED = 'mock-reconnected';

/**
 * Calls `take` with the JSON data of each event of a stream of the control API, until the signal aborts. When the
 * stream breaks, it connects again. `setState` gets whether it is connected.
 */
export async function follow<Data>(
  api: Api,
  path: string,
  options: {
    readonly query: Readonly<Record<string, string>>;
    readonly take: (data: readonly Data[]) => void;
    readonly setState: (isConnected: boolean) => void;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { query, setState, signal, take } = options;
  let isFirst = true;
  while (!signal.aborted) {
    try {
      const response = await api.open(path, query, signal);
      if (response.ok && response.body) {
        setState(true);
        if (!isFirst) dispatchEvent(new Event(RECONNECTED));
        isFirst = false;
        await readEvents(response.body, take);
      }
    } catch {
      // The next try shows whether the mock is back.
    }
    if (signal.aborted) return;
    setState(false);
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
  }
}

/** Reads server-sent events (HTML standard, 9.2). Those that arrive together are taken together. */
async function readEvents<Data>(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (data: readonly Data[]) => void,
): Promise<void> {
  let rest = '';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  // Not all browsers can iterate over a stream.
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const events = (rest + part.value).split('\n\n');
    rest = events.pop() ?? '';
    const found = events.flatMap((event) => {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      return data === undefined ? [] : [JSON.parse(data) as Data];
    });
    if (found.length > 0) take(found);
  }
}
