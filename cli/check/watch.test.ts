import { expect, test } from 'vitest';
import type { Running } from '../../testing/command.ts';
import type { Asked, RecordingProxy } from '../../testing/proxies/recording-proxy.ts';
import { useCommand, WITH_DEFAULTS } from '../../testing/use-command.ts';

const { begin, directory, startRecordingProxy, startService } = useCommand();
const FLAGS = ['--watch', ...WITH_DEFAULTS, '--models', 'brand', '--rule', 'operations'];
const isUpdate = ({ method, path }: Asked) => method === 'POST' && /\/brand\/\d+/.test(path);

/** Starts a service whose updates fail until they are fixed, and that can stop and start again on its port. */
async function startRestarting() {
  const { service } = await startService();
  const state = { isFixed: false };
  const run = (port?: number): Promise<RecordingProxy> =>
    startRecordingProxy(
      service.url,
      (asked) => (isUpdate(asked) && !state.isFixed ? { status: 422 } : undefined),
      port,
    );
  const first = await run();
  const port = Number(new URL(first.url).port);
  return { first, restart: () => run(port), service, state, url: first.url };
}

function stop({ ended, interrupt }: Running) {
  interrupt();
  return ended;
}

const verdicts = (stdout: string) => stdout.match(/^(NOT )?CONFORMANT|^INCONCLUSIVE/gm);
const runs = (stderr: string) => stderr.match(/^Running \d+ case/gm)?.map((line) => Number(/\d+/.exec(line)));

test('check --watch repeats failed cases when the service is back, then runs the whole selection', async () => {
  const { first, restart, service, state, url } = await startRestarting();
  const before = await service.count();
  const started = begin('check', url, ...FLAGS);
  await started.said(
    /^Watching: 1 failed case will run when the service is back, or when you press Enter\./m,
  );
  await first.close();
  await started.said(/^The service is away\. Waiting until it is back\.$/m);
  const second = await restart();
  await started.said(/^Watching: [\s\S]*^Watching: 1 failed case/m);
  expect(second.asked.some(isUpdate)).toBe(true);
  await second.close();
  await started.said(/^The service is away\.[\s\S]*^The service is away\./m);
  state.isFixed = true;
  await restart();
  await started.said(/^The failed cases pass now\. Running the whole selection\.$/m);
  await started.said(/^Watching: the whole selection will run when the service is back/m);
  const { code, stderr, stdout } = await stop(started);
  expect({ code, left: (await service.count()) - before }).toEqual({ code: 130, left: 0 });
  expect(runs(stderr)).toEqual([6, 1, 1, 6]);
  expect(verdicts(stdout)).toEqual(['NOT CONFORMANT', 'NOT CONFORMANT', 'CONFORMANT', 'CONFORMANT']);
});

test('check --watch repeats failed cases when the service reloads its code without a restart', async () => {
  const { state, url } = await startRestarting();
  const started = begin('check', url, ...FLAGS);
  await started.said(/^Watching: 1 failed case/m);
  state.isFixed = true;
  await started.said(/^The failed cases pass now\.[\s\S]*^Watching: the whole selection/m);
  const { code, stderr } = await stop(started);
  expect(code).toBe(130);
  expect(runs(stderr)).toEqual([6, 1, 6]);
});

test('check --watch does not repeat known failures', async () => {
  const { url } = await startRestarting();
  directory.write('known.yaml', '- { case: operations.update:brand, reason: later, until: 2999-01-01 }\n');
  const started = begin('check', url, ...FLAGS, '--baseline', 'known.yaml');
  await started.said(/^Watching: the whole selection/m);
  const { stderr } = await stop(started);
  expect(runs(stderr)).toEqual([6]);
});

test('check --watch waits for a service that is not available yet', async () => {
  const { first, restart, state, url } = await startRestarting();
  state.isFixed = true;
  await first.close();
  const started = begin('check', url, ...FLAGS);
  await started.said(/^record-model: The service can't be reached: .*\nWatching: the whole selection/m);
  await restart();
  await started.said(/Watching: the whole[\s\S]*Watching: the whole/);
  expect((await stop(started)).stdout).toMatch(/^CONFORMANT/m);
});

test('check --watch deletes its records after Ctrl+C during a run', async () => {
  let started: Running | undefined;
  const { service, url } = await startService({}, (asked) => {
    if (isUpdate(asked)) started?.interrupt();
    return undefined;
  });
  const before = await service.count();
  started = begin('check', url, ...FLAGS);
  const { code, stderr } = await started.ended;
  expect({ code, left: (await service.count()) - before }).toEqual({ code: 130, left: 0 });
  expect(stderr).toMatch(/^Stopping and removing the created records\./m);
  expect(stderr).not.toContain('Watching');
});
