import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach } from 'vitest';
import type { Results } from '../conformance/results/results.ts';
import { useClosing } from './closing.ts';
import {
  begin as beginIn,
  type Ended,
  type Running,
  runIn,
  type Started,
  start as startIn,
  untilReady,
} from './command.ts';
import { type MockService, type ServiceOptions, startMockService } from './mock-service.ts';
import {
  type Asked,
  type RecordingProxy,
  type Reply,
  startRecordingProxy,
} from './proxies/recording-proxy.ts';
import { useDirectory } from './temporary-directory.ts';

/** Compiled code, so that not each process compiles its own. */
const COMPILED = join(import.meta.dirname, '../node_modules/.cache/compiled');

/** Answers a request in the place of the service, or breaks its connection; `close` ends the proxy. */
export type Meddle = (asked: Asked, index: number, close: () => void) => Reply | Error | undefined;

/** Runs commands in a directory for each test of a file, and closes what they and the services opened. */
export function useCommand() {
  const directory = useDirectory();
  beforeEach(() => {
    // It says nothing that the default profile does not; with it nothing is learned.
    directory.write('default.yaml', '{}\n');
  });
  const closing = useClosing();
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
    startService,
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

  /** A service, and a recording proxy before it that notes what it is asked. */
  async function startService(
    options: ServiceOptions = {},
    meddle?: Meddle,
  ): Promise<{ service: MockService; url: string; asked: readonly Asked[] }> {
    const service = closing(await startMockService(options));
    let recorder: RecordingProxy | undefined;
    recorder = closing(
      await startRecordingProxy(service.url, (asked, index) =>
        meddle?.(asked, index, () => void recorder?.close()),
      ),
    );
    return { service, url: recorder.url, asked: recorder.asked };
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
