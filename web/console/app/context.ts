import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { ContractFacts } from '../../../spec/meta/meta.ts';
import { ApiError, CHANGED, type ConsoleApi, type QueryValues, searchOf } from './api.ts';
import { AGAIN, type Connection } from './live.ts';

/** A question that a reader must confirm. */
export type Confirmation = { readonly title: string; readonly text: string; readonly action: string };

/** The parts that every view uses. */
export type Console = {
  readonly api: ConsoleApi;
  readonly facts: ContractFacts;
  readonly connection: Connection;
  /** Shows a short message, such as `brand 5 is deleted.`, with an action that takes it back. */
  readonly say: (message: string, action?: Command) => void;
  /** Runs an action. Then shows a message, if there is one, or the reason why it failed. */
  readonly run: (action: () => Promise<unknown>, done?: string) => Promise<void>;
  /** Asks in a dialog. Resolves with whether the reader agrees. */
  readonly ask: (question: Confirmation) => Promise<boolean>;
  /** Adds a command to the palette, until the returned function is called. */
  readonly offer: (command: Command) => () => void;
};

/** A row of the palette, or the button of a message. */
export type Command = {
  readonly title: string;
  /** Where it belongs, such as `Records`. By default, the current view. */
  readonly group?: string;
  readonly run: () => unknown;
};

/** Every view is inside its provider. */
export const ConsoleContext = createContext({} as Console);
export const useConsole = () => useContext(ConsoleContext);

export type Loaded<Value> = {
  /** Undefined until the first response. It stays while it is loaded again. */
  readonly value: Value | undefined;
  readonly error: Error | undefined;
  /** Loads the value again. Resolves when it is loaded or failed. */
  readonly reload: () => Promise<void>;
};

/**
 * Loads a value when a key changes, when the mock has changed, and until the mock responds. A response that is no longer
 * wanted is ignored. `every` is the number of milliseconds between two loads; 0 loads only when a key changes.
 */
export function useLoad<Value>(
  load: () => Promise<Value>,
  keys: readonly unknown[],
  every?: number,
): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>({ value: undefined, error: undefined });
  const turn = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const reload = useCallback(async () => {
    clearTimeout(timer.current);
    turn.current += 1;
    const own = turn.current;
    const next = await load().then(
      (value) => ({ value, error: undefined }),
      (error: Error) => ({ error }),
    );
    if (own !== turn.current) return;
    const isLost = next.error instanceof ApiError && next.error.status === 0;
    if (isLost || every) timer.current = setTimeout(reload, every || AGAIN);
    // The same object keeps what is drawn from it.
    setState((last) =>
      next.error === undefined &&
      last.error === undefined &&
      JSON.stringify(last.value) === JSON.stringify(next.value)
        ? last
        : { ...last, ...next },
    );
  }, keys);
  useEffect(() => {
    reload();
    if (every !== 0) addEventListener(CHANGED, reload);
    return () => {
      removeEventListener(CHANGED, reload);
      clearTimeout(timer.current);
      turn.current += 1;
    };
  }, [reload]);
  return { ...state, reload };
}

/** Loads a value of the session from the control API, as `useLoad` does. */
export function useGet<Value>(path: string, query: QueryValues = {}, every?: number): Loaded<Value> {
  const { api } = useConsole();
  return useLoad(() => api.get<Value>(path, query), [api, path, searchOf(query)], every);
}
