import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { ContractFacts } from '../../../spec/meta/meta.ts';
import type { Api, ApiError } from './api.ts';

/** The parts that every view uses. */
export type Console = {
  readonly api: Api;
  readonly facts: ContractFacts;
  /** Shows a short message, such as `brand 5 is deleted.`, with an action that takes it back. */
  readonly say: (message: string, action?: { readonly title: string; readonly run: () => void }) => void;
  /** Shows the reason why an action failed. */
  readonly fail: (error: unknown) => void;
  /** Adds commands to the palette while a view is shown. */
  readonly offer: (commands: readonly Command[]) => () => void;
};

/** A row of the palette. */
export type Command = {
  readonly title: string;
  /** Where it belongs, such as `Records`. */
  readonly group: string;
  readonly run: () => void;
};

export const ConsoleContext = createContext<Console | undefined>(undefined);

export function useConsole(): Console {
  const console = useContext(ConsoleContext);
  if (!console) throw new Error('A view must be inside the console.');
  return console;
}

export type Loaded<Value> = {
  /** Undefined until the first response. It stays while it is loaded again. */
  readonly value: Value | undefined;
  readonly error: ApiError | Error | undefined;
  /** Loads the value again. Resolves when it is loaded or failed. */
  readonly reload: () => Promise<void>;
};

/** Loads a value when a key changes, and again on `reload`. A response that is no longer wanted is ignored. */
export function useLoad<Value>(load: () => Promise<Value>, keys: readonly unknown[]): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>({ value: undefined, error: undefined });
  const turn = useRef(0);
  const reload = useCallback(async () => {
    turn.current += 1;
    const own = turn.current;
    const next = await load().then(
      (value) => ({ value, error: undefined }),
      (error: Error) => ({ error }),
    );
    if (own === turn.current) setState((last) => ({ ...last, ...next }));
  }, keys);
  useEffect(() => {
    reload();
    return () => {
      turn.current += 1;
    };
  }, [reload]);
  return { ...state, reload };
}

/** Adds commands to the palette while the component is shown. */
export function useCommands(commands: readonly Command[], keys: readonly unknown[]): void {
  const { offer } = useConsole();
  useEffect(() => offer(commands), keys);
}
