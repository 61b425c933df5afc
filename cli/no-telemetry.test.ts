import { ChildProcess, spawn } from 'node:child_process';
import { createSocket, Socket as Datagrams } from 'node:dgram';
import dns from 'node:dns';
import { existsSync } from 'node:fs';
import { isIP, Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { useCommand } from '../testing/use-command.ts';

const { directory, run, startMock } = useCommand();
afterEach(() => vi.restoreAllMocks());

test('each verb connects only to the given service', async () => {
  const few = ['--models', 'brand,locker'];
  const seen = watchNetwork();
  const mock = await startMock();
  for (const args of [
    ['generate', '-o', 'a.yaml', ...few],
    ['generate', '--openapi', '3.0', '-o', 'b.json', ...few],
    ['export', 'types', '-o', 'c.d.ts', ...few],
    ['export', 'schemas', '-o', 'd', ...few],
    ['export', 'html', '-o', 'f.html', ...few],
    ['export', 'diagram', '-o', 'g.mmd', ...few],
    ['diff', 'a.yaml', 'a.yaml'],
  ])
    expect(await run(...args)).toMatchObject({ code: 0 });
  expect(seen()).toEqual([]);

  const placeOf = (url: string) => `connects ${new URL(url).host}`;
  const forwarding = await startMock('--forward', mock.url, '--fixtures', 'none');
  expect((await fetch(`${forwarding.url}/api/model/brand`)).status).toBe(200);
  expect(new Set(seen())).toEqual(new Set([placeOf(forwarding.url), placeOf(mock.url)]));

  const head = { journal: 1, target: mock.url, tag: 'k3f9', startedAt: '2026-01-01T00:00:00Z', profile: {} };
  const made = [
    { create: 'brand', n: 1, sent: { name: 'name k3f9-1' } },
    { made: 1, id: 99 },
  ];
  directory.write('k.jsonl', [head, ...made].map((line) => JSON.stringify(line)).join('\n'));
  vi.clearAllMocks();
  const reports = ['--html', 'i.html', '--junit', 'j.xml', '--rule', 'operations,list'];
  for (const args of [
    ['learn', mock.url, '--read-only', '-o', 'h.yaml', ...few],
    ['check', mock.url, '--profile', 'h.yaml', ...reports, ...few],
    ['clean', 'k.jsonl'],
    ['capture', mock.url, '--profile', 'h.yaml', '-o', 'm.yaml', ...few],
  ])
    expect(await run(...args)).toMatchObject({ code: 0 });
  expect(new Set(seen())).toEqual(new Set([placeOf(mock.url)]));
  expect(existsSync(directory.path('j.xml'))).toBe(true);
});

test('the watch of the network detects connections, lookups, datagrams, and processes', async () => {
  const seen = watchNetwork();
  await fetch('http://127.0.0.1:8123/').catch(() => {});
  await fetch('http://nowhere.invalid:8123/').catch(() => {});
  expect(seen()).toEqual(
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
  expect(seen()).toEqual(expect.arrayContaining(['starts true', 'sends datagrams']));
});

/** Returns what this process does from now on: `connects HOST:PORT`, `looks up NAME`, `sends datagrams`, `starts FILE`. */
function watchNetwork(): () => string[] {
  const connects = vi.spyOn(Socket.prototype, 'connect');
  const lookups = vi.spyOn(dns, 'lookup');
  const datagrams = vi.spyOn(Datagrams.prototype, 'send');
  const processes = ChildProcess.prototype as ChildProcess & { spawn(options: Place): void };
  const starts = vi.spyOn(processes, 'spawn');
  return () => [
    ...connects.mock.calls.map(([first, second]: readonly unknown[]) => {
      const [options] = [first].flat() as [Place | number | string];
      if (typeof options !== 'object') return `connects ${second}:${options}`;
      return `connects ${options.path ?? `${options.host ?? 'localhost'}:${options.port}`}`;
    }),
    ...lookups.mock.calls.flatMap(([name]) => (isIP(name) ? [] : `looks up ${name}`)),
    ...datagrams.mock.calls.map(() => 'sends datagrams'),
    ...starts.mock.calls.map(([{ file }]) => `starts ${file}`),
  ];
}

type Place = {
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
  readonly file?: string;
};
