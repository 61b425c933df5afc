import { ChildProcess } from 'node:child_process';
import { Socket as Datagrams } from 'node:dgram';
import dns from 'node:dns';
import { isIP, Socket } from 'node:net';

/** The connections and processes that this process started: `connects HOST:PORT`, `looks up NAME`, `sends datagrams`, `starts FILE`. */
export type Watch = { readonly seen: readonly string[]; stop(): void };

type Method = (this: unknown, ...given: never[]) => unknown;

/** Notes them from now on, and lets them happen. */
export function watchNetwork(): Watch {
  const seen: string[] = [];
  const undo = [
    watch(Socket.prototype, 'connect', ([first, second]) => {
      const [options] = [first].flat() as [{ host?: string; port?: number; path?: string } | number | string];
      if (typeof options !== 'object') return `connects ${second}:${options}`;
      return `connects ${options.path ?? `${options.host ?? 'localhost'}:${options.port}`}`;
    }),
    watch(dns, 'lookup', ([name]) => (isIP(`${name}`) ? undefined : `looks up ${name}`)),
    watch(Datagrams.prototype, 'send', () => 'sends datagrams'),
    watch(
      ChildProcess.prototype,
      'spawn' as never,
      ([options]) => `starts ${(options as { file?: string })?.file}`,
    ),
  ];
  return { seen, stop };

  function stop(): void {
    for (const back of undo) back();
  }

  function watch<T extends object>(
    of: T,
    name: keyof T,
    say: (given: readonly unknown[]) => string | undefined,
  ): () => void {
    const real = of[name] as Method;
    of[name] = function (this: unknown, ...given: never[]) {
      const what = say(given);
      if (what !== undefined) seen.push(what);
      return real.apply(this, given);
    } as T[keyof T];
    return () => {
      of[name] = real as T[keyof T];
    };
  }
}
