import { mkdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { NO_POSTGRES, newDatabase } from '../../testing/stores/postgres.ts';
import { useCommand } from '../../testing/use-command.ts';

const { directory, run } = useCommand();

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
  test('are read and written with their catalogue only', async () => {
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

  test('take any catalogue while there are none', async () => {
    const place = await make();
    directory.write('bad.yaml', 'brand: [{ id: 3, nme: A }]\n');
    expect(await run('mock', '--data', place, '--fixtures', 'bad.yaml', '--port', '0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Unknown field "nme"'),
    });
    expect(await run('load', place, 'none', ...boats('boats'))).toMatchObject({ code: 0 });
  });
});
