/**
 * Measures the speed of the suite: a whole `check` of the mock in a separate process, with its start, compared with
 * autocannon sending the same requests over the same number of connections. Figures are ratios of one run on one machine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { runSuite } from '../../conformance/run.ts';
import { createTarget, type Target, type TargetRequest } from '../../conformance/target/target.ts';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';

const CONNECTIONS = 16;
/** The command of the package, which the script builds first. */
const CLI = join(import.meta.dirname, '../../dist/cli.js');

const mock = await startMock();
try {
  const sent = await recordRequests(mock.url);
  const check = await timeCheck(mock.url);
  const rate = await replay(mock.url, sent);
  const own = check.requests / check.seconds;
  print(`check            ${check.seconds.toFixed(2)} s wall, start-up and learning included`);
  print(`suite            ${check.requests} requests, ${own.toFixed(0)} a second over the whole of it`);
  print(`autocannon       ${rate.toFixed(0)} a second with the same requests, ${CONNECTIONS} connections`);
  print(`ratio            ${(own / rate).toFixed(2)}`);
  print(`memory           ${await memoryGrowth(mock.url)}`);
} finally {
  mock.process.kill();
}

/** The mock on a free port, as `record-model mock` serves it. */
function startMock(): Promise<{ url: string; process: ChildProcess }> {
  const child = spawn(process.execPath, [CLI, 'mock', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('the mock did not start')));
    child.stdout.on('data', (text) => {
      const url = /on (http:\S+)/.exec(String(text))?.[1];
      if (url) resolve({ url, process: child });
    });
  });
}

/** A whole `record-model check`, from the start of its process to the end. */
async function timeCheck(url: string): Promise<{ seconds: number; requests: number }> {
  const started = performance.now();
  const child = spawn(process.execPath, [CLI, 'check', url, '--concurrency', String(CONNECTIONS)]);
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  const requests = Number(/(\d+) requests/.exec(output)?.[1]);
  if (code !== 0) throw new Error(`check ended with ${code}:\n${output}`);
  return { seconds: (performance.now() - started) / 1000, requests };
}

/** The requests of one run, in order. */
async function recordRequests(baseUrl: string): Promise<TargetRequest[]> {
  const sent: TargetRequest[] = [];
  await run({ baseUrl, connections: CONNECTIONS }, (request) => sent.push(request));
  return sent;
}

async function run(
  options: Parameters<typeof createTarget>[0],
  see: (request: TargetRequest) => void,
): Promise<void> {
  const catalogue = loadCatalogue();
  const target = createTarget(options);
  const watched: Target = {
    ...target,
    send: (request, record) => {
      see(request);
      return target.send(request, record);
    },
  };
  const references = loadReferences(catalogue);
  const suite = runSuite({
    catalogue,
    profile: DEFAULT_PROFILE,
    references,
    target: watched,
    profileName: 'default',
  });
  for await (const event of suite)
    if (event.type === 'end') {
      if (event.results.counts.fail > 0) throw new Error('a case failed');
    }
  await target.close();
}

/**
 * Requests a second that autocannon gets through with the same requests. The ids in them are those of the recorded
 * run, so that most reads and deletes miss and lists grow: its figure is of the same requests, not the same answers.
 */
async function replay(url: string, sent: readonly TargetRequest[]): Promise<number> {
  const requests = sent.map(({ body, headers, method, path, query }) => {
    const search = new URLSearchParams(query).toString();
    return {
      method: method as 'GET',
      path: path + (search && `?${search}`),
      headers: { accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    };
  });
  const started = performance.now();
  // The requests of the suite. Each connection sends its share.
  const result = await autocannon({ url, connections: CONNECTIONS, amount: requests.length, requests });
  return result.requests.total / ((performance.now() - started) / 1000);
}

/** Heap after a run over a few models and after one over all of them. */
async function memoryGrowth(baseUrl: string): Promise<string> {
  const heap = () => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };
  const before = heap();
  let peak = 0;
  let sent = 0;
  await run({ baseUrl, connections: CONNECTIONS }, () => {
    if (sent++ % 2000 === 0) peak = Math.max(peak, heap());
  });
  return `${before.toFixed(0)} MiB before a run, ${peak.toFixed(0)} at most in it, ${heap().toFixed(0)} after it`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
