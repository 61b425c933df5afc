import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Started, start, untilReady } from '../testing/command.ts';
import { watchNetwork } from '../testing/network-watch.ts';
import { useCommand } from '../testing/use-command.ts';

const PRELOAD = join(import.meta.dirname, '../testing/network-watch.ts');
const { closing, directory, read, run } = useCommand();
let stop = () => {};
afterEach(() => stop());

/** A server in a process that writes down what it connects to, with its address. */
async function startWatched(name: string, ...args: string[]): Promise<Started & { url: string }> {
  const env = {
    PATH: process.env.PATH,
    NETWORK_WATCHED: directory.path(`${name}.seen`),
    NODE_OPTIONS: `--import ${PRELOAD}`,
  };
  const started = start(directory.path(), [...args, '--port', '0'], env);
  closing({ close: () => started.child.kill('SIGKILL') && started.ended });
  return { ...started, ...(await untilReady(started)) };
}

test('a verb connects to the service it is given, and to nothing else', async () => {
  const mock = await startWatched('mock', 'mock');
  const forwarding = await startWatched('forwarding', 'mock', '--forward', mock.url);
  expect((await fetch(`${forwarding.url}/api/model/brand`)).status).toBe(200);
  expect(read('mock.seen')).toBe('');
  const place = `connects ${new URL(mock.url).host}`;
  expect(new Set(read('forwarding.seen').trim().split('\n'))).toEqual(new Set([place]));

  const few = ['--models', 'brand,locker'];
  const silent = [
    ['generate', '-o', 'a.yaml', ...few],
    ['generate', '--openapi', '3.0', '-o', 'b.json', ...few],
    ['export', 'types', '-o', 'c.d.ts', ...few],
    ['export', 'schemas', '-o', 'd', ...few],
    ['export', 'html', '-o', 'f.html', ...few],
    ['export', 'diagram', '-o', 'g.mmd', ...few],
    ['diff', 'a.yaml', 'a.yaml'],
  ];
  const asking = [
    ['learn', mock.url, '-o', 'h.yaml'],
    ['check', mock.url, '--profile', 'h.yaml', '--html', 'i.html', '--junit', 'j.xml', ...few],
  ];
  const head = { journal: 1, target: mock.url, tag: 'k3f9', startedAt: '2026-01-01T00:00:00Z', profile: {} };
  const made = [
    { create: 'brand', n: 1, sent: { name: 'name k3f9-1' } },
    { made: 1, id: 99 },
  ];
  directory.write('k.jsonl', [head, ...made].map((line) => JSON.stringify(line)).join('\n'));
  asking.push(['clean', 'k.jsonl'], ['capture', mock.url, '--profile', 'h.yaml', '-o', 'm.yaml', ...few]);
  const watch = watchNetwork();
  stop = watch.stop;
  for (const args of silent) {
    expect(await run(...args)).toMatchObject({ code: 0 });
    expect(watch.seen).toEqual([]);
  }
  for (const args of asking) expect(await run(...args)).toMatchObject({ code: 0 });
  expect(new Set(watch.seen)).toEqual(new Set([place]));
  expect(existsSync(directory.path('j.xml'))).toBe(true);
});

test('the watch sees connections, names, datagrams and processes', async () => {
  const watch = watchNetwork();
  stop = watch.stop;
  await fetch('http://127.0.0.1:8123/').catch(() => {});
  await fetch('http://nowhere.invalid:8123/').catch(() => {});
  expect(watch.seen).toEqual(
    expect.arrayContaining([
      'connects 127.0.0.1:8123',
      'connects nowhere.invalid:8123',
      expect.stringMatching(/^looks up nowhere/),
    ]),
  );
  spawn('true');
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.send('x', 9, '127.0.0.1', () => resolve()));
  socket.close();
  expect(watch.seen).toEqual(expect.arrayContaining(['starts true', 'sends datagrams']));
});
