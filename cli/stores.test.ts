import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMock } from '../mock/mock.ts';
import { NO_POSTGRES, newDatabase } from '../testing/stores/postgres.ts';
import { endWith, useCommand } from '../testing/use-command.ts';

const { directory, read, run, start } = useCommand();

test('load fills a store, dump writes its records, and a dump can be loaded again', async () => {
  const loaded = await run('load', 'mock.db', 'demo');
  expect(loaded).toMatchObject({ ...endWith(0, /^Loaded \d+ records\n$/), stdout: '' });
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

test('load replaces records only with --replace, and sessions start with the loaded records', async () => {
  directory.write('one.yaml', 'brand: [{ id: 7, name: a }]\n');
  await run('load', 'mock.db', 'demo');
  const bytes = readFileSync(directory.path('mock.db'));
  expect(await run('load', 'mock.db', 'one.yaml')).toMatchObject(
    endWith(2, /^record-model: mock\.db already contains \d+ records\. To replace them, pass --replace\./),
  );
  expect(readFileSync(directory.path('mock.db')).equals(bytes)).toBe(true);
  directory.write('bad.yaml', 'brand: [{ id: 7, nme: a }]\n');
  expect(await run('load', 'mock.db', 'bad.yaml', '--replace')).toMatchObject(
    endWith(2, /bad\.yaml:1: brand 7: Unknown field "nme"\. Did you mean "name"\?/),
  );
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
  ['are rejected with --references check', ['--references', 'check'], 2, /invoiceTo/],
] as const)('links to missing records %s', async (_, flags, code, said) => {
  directory.write('one.yaml', 'customer: [{ id: 1, invoiceTo: 7 }]\n');
  expect(await run('load', 'mock.db', 'one.yaml', '--lenient', ...flags)).toMatchObject({
    code,
    stderr: expect.stringMatching(said),
  });
});

test('a dump of many records is complete in a file and in a pipe, and ends when the reader stops', async () => {
  const brands = Array.from({ length: 4000 }, (_, index) => ({ id: index + 1, name: `brand ${index}` }));
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

type Kind = {
  readonly kind: string;
  /** Names an empty place for records. */
  make(): Promise<string>;
};

const file: Kind = { kind: 'a file', make: async () => directory.path('mock.db') };
const postgres: Kind = { kind: 'PostgreSQL', make: newDatabase };

/** Writes a catalogue of boats; returns the flags that select it. */
function boats(name: string, { title = 'Boat API', version = '2', field = 'depth: float' } = {}): string[] {
  mkdirSync(directory.path(name), { recursive: true });
  directory.write(
    `${name}/common.yaml`,
    `title: ${title}\nversion: "${version}"\nbase: /v2/records\ncommon: { id: int ro }\n`,
  );
  directory.write(`${name}/harbour.yaml`, `area: Harbour\nmodels: { berth: { ${field} } }\n`);
  return ['--catalogue', name];
}

/** Tries each verb that reads or writes records on data of another catalogue. */
async function refusals(place: string, flags: readonly string[]): Promise<string[]> {
  const told: string[] = [];
  for (const args of [
    ['dump', place],
    ['load', place, 'none', '--replace'],
    ['mock', '--data', place, '--port', '0'],
  ]) {
    const { code, stderr, stdout } = await run(...args, ...flags);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    told.push(stderr.replace(/^record-model: .*? contains/, 'contains').split('\n')[0] ?? '');
  }
  return [...new Set(told)];
}

describe.each(NO_POSTGRES ? [file] : [file, postgres])('records in $kind', ({ kind, make }) => {
  test('can be read and written only with their catalogue', async () => {
    const place = await make();
    directory.write('berths.yaml', 'berth: [{ id: 3, depth: 2.5 }]\n');
    const own = boats('own');
    expect(await run('load', place, 'berths.yaml', ...own)).toMatchObject({ code: 0 });
    const before = kind === 'a file' && readFileSync(place);
    const wayOut = 'Pass the catalogue of these records with --catalogue, or use other data.';
    expect(await refusals(place, [])).toEqual([
      `contains records of Boat API 2, but the catalogue is of Record Model API 2025-10-22. ${wayOut}`,
    ]);
    expect(await refusals(place, boats('newer', { version: '3' }))).toEqual([
      `contains records of Boat API 2, but the catalogue is of Boat API 3. ${wayOut}`,
    ]);
    expect(await refusals(place, boats('changed', { field: 'depth: int' }))).toEqual([
      `contains records of Boat API 2 with other models or fields. ${wayOut} To keep the records, dump them with their catalogue, and load the dump into new data.`,
    ]);
    if (before) expect(readFileSync(place).equals(before)).toBe(true);
    expect(parse((await run('dump', place, ...own)).stdout)).toEqual({ berth: [{ id: 3, depth: 2.5 }] });
  });

  test('can have any catalogue while there are no records', async () => {
    const place = await make();
    directory.write('bad.yaml', 'brand: [{ id: 3, nme: A }]\n');
    expect(await run('mock', '--data', place, '--fixtures', 'bad.yaml', '--port', '0')).toMatchObject(
      endWith(2, 'Unknown field "nme"'),
    );
    expect(await run('load', place, 'none', ...boats('boats'))).toMatchObject({ code: 0 });
  });
});
