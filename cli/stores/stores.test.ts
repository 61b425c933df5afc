import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMock } from '../../mock/mock.ts';
import { useCommand } from '../../testing/use-command.ts';

const { directory, read, run, start } = useCommand();

test('load fills a store, dump writes what it holds, and both come round to the same', async () => {
  const loaded = await run('load', 'mock.db', 'demo');
  expect(loaded).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(/^Loaded \d+ records\n$/),
  });
  const mock = await createMock({ data: directory.path('mock.db') });
  expect(mock.isKept).toBe(true);
  await mock.records('brand').create({ name: 'a: "b" #c\n- ü\u2028' });
  await mock.records('stockOrder').delete(1);
  const state = await mock.state();
  await mock.close();
  expect(await run('dump', 'mock.db', '-o', 'club.yaml')).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await run('dump', 'mock.db', '-o', 'club.json')).toMatchObject({ code: 0 });
  expect(JSON.parse(read('club.json'))).toEqual(state);
  expect(parse(read('club.yaml'))).toEqual(state);
  for (const file of ['club.yaml', 'club.json']) {
    expect(await run('load', `${file}.db`, file)).toMatchObject({ code: 0 });
    expect((await run('dump', `${file}.db`)).stdout).toBe(read('club.yaml'));
  }
});

test('load replaces records when it is told to, and what sessions begin with', async () => {
  directory.write('one.yaml', 'brand: [{ id: 7, name: a }]\n');
  await run('load', 'mock.db', 'demo');
  const bytes = readFileSync(directory.path('mock.db'));
  expect(await run('load', 'mock.db', 'one.yaml')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^record-model: mock\.db already contains \d+ records\. To replace them, pass --replace\./,
    ),
  });
  expect(readFileSync(directory.path('mock.db')).equals(bytes)).toBe(true);
  directory.write('bad.yaml', 'brand: [{ id: 7, nme: a }]\n');
  expect(await run('load', 'mock.db', 'bad.yaml', '--replace')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/bad\.yaml:1: brand 7: Unknown field "nme"\. Did you mean "name"\?/),
  });
  expect((await run('dump', 'mock.db')).stdout.length).toBeGreaterThan(10_000);
  expect(await run('load', 'mock.db', 'one.yaml', '--replace')).toMatchObject({
    stderr: 'Loaded 1 record\n',
  });
  const mock = await createMock({ data: directory.path('mock.db'), fixtures: 'demo' });
  for (const one of [mock, mock.session('a')])
    expect(await one.state()).toEqual({ brand: [expect.objectContaining({ id: 7, name: 'a' })] });
  await mock.session('b').records('brand').create({ name: 'b' });
  await mock.close();
  expect(
    parse((await run('dump', 'mock.db', '--session', 'b', '--models', 'brand')).stdout).brand,
  ).toHaveLength(2);
});

test.each([
  ['are stored with a warning', [], 0, /^Warning: [^\n]*invoiceTo[^\n]*\nLoaded 1 record\n$/],
  ['are refused with --references check', ['--references', 'check'], 2, /invoiceTo/],
] as const)('links to missing records %s', async (_, flags, code, said) => {
  directory.write('one.yaml', 'customer: [{ id: 1, invoiceTo: 7 }]\n');
  expect(await run('load', 'mock.db', 'one.yaml', '--lenient', ...flags)).toMatchObject({
    code,
    stderr: expect.stringMatching(said),
  });
});

test('a dump of what is not there is refused, and makes nothing', async () => {
  await run('load', 'mock.db', 'none');
  expect((await run('dump', 'mock.db')).stdout).toBe('{}\n');
  const tries: [string[], RegExp][] = [
    [['other.db'], /There is no data file other\.db\. Create it with: record-model mock --data other\.db/],
    [['mock.db', '--session', 'defalt'], /Unknown session "defalt" in mock\.db\. Did you mean "default"\?/],
    [['mock.db', '--models', 'brnd'], /Unknown model "brnd"\. Did you mean "brand"\?/],
  ];
  for (const [args, message] of tries)
    expect(await run('dump', ...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  expect(existsSync(directory.path('other.db'))).toBe(false);
});

test('a dump of many records is whole in a file and through a pipe, and ends when the reader stops', async () => {
  const brands = Array.from({ length: 20_000 }, (_, index) => ({ id: index + 1, name: `brand ${index}` }));
  directory.write('many.json', JSON.stringify({ brand: brands, warehouse: [] }));
  await run('load', 'mock.db', 'many.json');
  expect(await run('dump', 'mock.db', '-o', 'again.json')).toEqual({ code: 0, stdout: '', stderr: '' });
  const state = JSON.parse(read('again.json'));
  expect(state.brand).toMatchObject(brands);
  expect(read('again.json')).toBe(`${JSON.stringify(state, null, 1)}\n`);
  const piped = await start(['dump', 'mock.db']).ended;
  expect(piped).toMatchObject({ code: 0, stderr: '' });
  expect(piped.stdout.split('\n')).toHaveLength(brands.length + 2);
  expect(parse(piped.stdout)).toEqual(state);
  const stopped = start(['dump', 'mock.db']);
  await once(stopped.child.stdout as Readable, 'data');
  const ended = once(stopped.child, 'exit');
  stopped.child.stdout?.destroy();
  await expect(stopped.ended).rejects.toThrow('Premature close');
  expect(await ended).toEqual([0, null]);
});
