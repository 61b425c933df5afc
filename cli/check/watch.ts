import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Selection } from '../../conformance/plan/plan.ts';
import type { CaseResult, Results } from '../../conformance/results/results.ts';
import { plural } from '../../conformance/results/text.ts';
import type { RunOptions } from '../../conformance/run.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import {
  INTERRUPTED,
  runWith,
  say,
  sayError,
  sayUnreachable,
  type Terminal,
  terminal,
} from '../terminal/terminal.ts';

/** The profile and selection of a run. */
export type Terms = Pick<RunOptions, 'profile' | 'profileName'> & {
  readonly selection: Selection;
  /** Why the target might not be this API. */
  readonly warning?: string | undefined;
};

/** The results of a run, and the terms that it used. */
export type Checked = { readonly results: Results; readonly terms: Terms };

/** Runs the whole selection, or under the terms of a run before. Returns undefined if it ended without results. */
type Check = (repeated?: Terms) => Promise<Checked | undefined>;

/** Milliseconds between two attempts to connect to the service. */
const RETRY = 250;
const LONGEST_CONNECT = 5000;
/** Milliseconds between two silent runs of the first failed case. */
const REPEAT = 3000;

/**
 * Checks a service again and again until Ctrl+C. After a run, it waits until the service was away and is back, the user
 * presses Enter, or the first failed case passes. Then it repeats the failed cases, and when they pass, it runs the whole
 * selection. Throws the error of the first run if it is a mistake of the user.
 */
export async function watchService(baseUrl: string, check: Check): Promise<void> {
  const outer = terminal();
  const stop = new AbortController();
  /** Stops the current run. */
  let listeners: (() => void)[] = [];
  outer.onSignal(() => {
    stop.abort();
    for (const listener of listeners) listener();
  });
  let failed: Terms | undefined;
  for (let runs = 1; !stop.signal.aborted; runs++) {
    const { checked, isAway } = await run(failed, runs === 1);
    if (stop.signal.aborted) break;
    if (checked) {
      const cases = checked.results.cases.filter(isOpen).map(({ id }) => id);
      if (failed !== undefined && cases.length === 0 && checked.results.lost === undefined) {
        failed = undefined;
        say('The failed cases pass now. Running the whole selection.');
        continue;
      }
      failed = cases.length > 0 ? { ...checked.terms, selection: { cases } } : undefined;
    }
    say(describeWait(failed));
    await untilChange(isAway || checked?.results.lost !== undefined);
  }
  outer.exitCode = INTERRUPTED;

  /** Runs with its own terminal, because each run sets an exit code and listens to signals. */
  async function run(repeated: Terms | undefined, isFirst = false, isSilent = false) {
    const output = (of: Terminal['stdout']) => (isSilent ? { write: () => {} } : of);
    listeners = [];
    const own: Terminal = {
      ...outer,
      stdout: output(outer.stdout),
      stderr: output(outer.stderr),
      exitCode: 0,
      redact: (text) => text,
      onSignal: (listener) => listeners.push(listener),
    };
    try {
      return { checked: await runWith(own, () => check(repeated)), isAway: false };
    } catch (error) {
      const { message, name } = error as Error;
      if (name === 'Interrupted') return { isAway: false };
      const isGone = name === 'Unreachable' || name === 'NoAnswer';
      // A service that restarts can return 404 to all requests for a moment.
      if (!isGone && (isFirst || !(error instanceof UsageError))) throw error;
      await runWith(own, async () => (isGone ? sayUnreachable(message) : sayError(own.redact(message))));
      return { isAway: isGone };
    } finally {
      listeners = [];
    }
  }

  /** Resolves when the service is back, the user presses Enter, the first failed case passes, or the user stops. */
  async function untilChange(wasAway: boolean): Promise<void> {
    const end = new AbortController();
    const signal = AbortSignal.any([stop.signal, end.signal]);
    const passes = failed === undefined ? untilAborted(signal) : untilPass(failed, signal);
    await Promise.race([
      passes,
      untilBack(baseUrl, wasAway, signal),
      untilEnter(signal),
      untilAborted(stop.signal),
    ]);
    end.abort();
    // A silent run removes its records first.
    await passes;
  }

  /** Repeats the first failed case, for a service that reloads its code and keeps its port. */
  async function untilPass(terms: Terms, signal: AbortSignal): Promise<void> {
    const selection = { cases: terms.selection.cases?.slice(0, 1) ?? [] };
    for (;;) {
      await pause(REPEAT, signal);
      if (signal.aborted) return;
      const { checked } = await run({ ...terms, selection }, false, true);
      const [first] = checked?.results.cases ?? [];
      if (first && !isOpen(first)) return;
    }
  }
}

function describeWait(failed: Terms | undefined): string {
  const cases = failed?.selection.cases;
  const next = cases === undefined ? 'the whole selection' : plural(cases.length, 'failed case');
  return `Watching: ${next} will run when the service is back, or when you press Enter. To stop, press Ctrl+C.`;
}

/** Whether a case has to be repeated. */
function isOpen({ excused, level, outcome }: CaseResult): boolean {
  return outcome !== 'pass' && outcome !== 'skip' && level !== 'advice' && excused === undefined;
}

/** Resolves when the service refused connections and accepts them again. */
async function untilBack(baseUrl: string, wasAway: boolean, signal: AbortSignal): Promise<void> {
  let isAway = wasAway;
  for (; !signal.aborted; await pause(RETRY, signal)) {
    const isThere = await accepts(baseUrl);
    if (isThere && isAway) return;
    if (!isThere && !isAway && !signal.aborted) say('The service is away. Waiting until it is back.');
    isAway = !isThere;
  }
}

/**
 * Whether the service accepts a connection. No request is sent, so that its log stays empty. The connection is closed at
 * once, because a service that stops might wait for open ones.
 */
async function accepts(baseUrl: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(baseUrl);
  const host = hostname.replaceAll(/[[\]]/g, '');
  const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(LONGEST_CONNECT) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Resolves when the user presses Enter in a terminal. */
async function untilEnter(signal: AbortSignal): Promise<void> {
  const { stdin } = process;
  if (!stdin.isTTY) return untilAborted(signal);
  await once(stdin, 'data', { signal }).catch(() => {});
  stdin.pause();
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  await once(signal, 'abort');
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => {});
}
