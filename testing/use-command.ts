import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect } from 'vitest';
import type { Results } from '../conformance/results/results.ts';
import {
  begin as beginIn,
  type Ended,
  type Running,
  runIn,
  type Started,
  start as startIn,
  untilReady,
} from './command.ts';
import { type ServiceOptions, useService } from './mock-service.ts';
import { type Meddle, startRecordingProxy } from './proxies/recording-proxy.ts';
import { useDirectory } from './temporary-directory.ts';

/** Compiled code, so that not each process compiles its own. */
const COMPILED = join(import.meta.dirname, '../node_modules/.cache/compiled');

/** With this file, which says nothing, no profile is learned. */
export const WITH_DEFAULTS = ['--profile', 'default.yaml'];

/** The end of a command with an exit code, and with a message in standard error: a part of it, or its pattern. */
export function endWith(code: number, message: string | RegExp): Pick<Ended, 'code' | 'stderr'> {
  const stderr =
    typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message);
  return { code, stderr };
}

/** Runs commands in a directory for each test of a file, and closes what they and the services opened. */
export function useCommand() {
  const directory = useDirectory();
  beforeEach(() => {
    directory.write('default.yaml', '{}\n');
  });
  const { closing, start: startBehind } = useService();
  const read = (name: string) => readFileSync(directory.path(name), 'utf8');

  return {
    directory,
    closing,
    read,
    readResults: (name: string): Results => JSON.parse(read(name)),
    run: (...args: string[]): Promise<Ended> => runIn(directory.path(), args),
    runWith: (env: Readonly<Record<string, string>>, ...args: string[]) => runIn(directory.path(), args, env),
    begin,
    start,
    /** A service, and a recording proxy before it that notes what it is asked. */
    startService: (options: ServiceOptions = {}, meddle?: Meddle) => startBehind(meddle, options),
    startRecordingProxy: async (...of: Parameters<typeof startRecordingProxy>) =>
      closing(await startRecordingProxy(...of)),
    startMock,
    startMockProcess,
  };

  /** Starts a process with a minimal environment. */
  function start(args: readonly string[]): Started {
    const env = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: COMPILED };
    const started = startIn(directory.path(), args, env);
    closing({ close: () => started.child.kill('SIGKILL') && started.ended });
    return started;
  }

  /** Starts a command in this process; interrupts it after the test. */
  function begin(...args: readonly string[]): Running {
    const running = beginIn(directory.path(), args);
    closing({
      close: () => {
        running.interrupt();
        return running.ended;
      },
    });
    return running;
  }

  /** Starts the mock in this process and gives its URL. */
  async function startMock(...args: string[]): Promise<Running & { url: string; printed: string }> {
    const running = begin('mock', '--port', '0', ...args);
    return { ...running, ...(await untilReady(running)) };
  }

  /** Starts the mock in a separate process, which a test can kill. */
  async function startMockProcess(...args: string[]): Promise<Started & { url: string; printed: string }> {
    const started = start(['mock', '--port', '0', ...args]);
    return { ...started, ...(await untilReady(started)) };
  }
}
