import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { useCommand } from '../testing/use-command.ts';

const { directory, readResults, run, startMock } = useCommand();

test('a catalogue of one’s own goes through generate, mock and check', async () => {
  mkdirSync(directory.path('catalogue'));
  directory.write(
    'catalogue/common.yaml',
    'title: Boat API\nversion: "2"\nbase: /v2/records\ncommon:\n  id: int ro\n  deleted: bool ro\n',
  );
  directory.write(
    'catalogue/harbour.yaml',
    [
      'area: Harbour\nabout: Boats and berths.\nmodels:',
      '  berth: { name: string req, depth: float }',
      '  boat: { name: string req, berth: int req, kind: select req, price: currency }',
      'values:\n  boat.kind: { 1: Sail, 2: Motor }\n',
    ].join('\n'),
  );
  directory.write('references.yaml', 'inside:\n  boat.berth: { to: berth, why: named so }\n');
  const own = ['--catalogue', 'catalogue'];
  const [document, mock] = await Promise.all([run('generate', ...own), startMock(...own)]);
  expect(document.code).toBe(0);
  expect(Object.keys(parse(document.stdout).paths)).toEqual([
    '/v2/records/berth',
    '/v2/records/berth/{id}',
    '/v2/records/boat',
    '/v2/records/boat/{id}',
  ]);
  expect(mock.printed).toMatch(/^Mock of Boat API 2 is running on [\s\S]*2 models, 10 operations, 0 records/);
  const { code, stderr, stdout } = await run('check', mock.url, ...own, '--json', 'results.json');
  expect({ code, stderr, stdout }).toMatchObject({ code: 0 });
  const results = readResults('results.json');
  expect(results).toMatchObject({ catalogue: { title: 'Boat API', version: '2', models: 2 }, leftovers: [] });
  expect(results.coverage.operations.map(({ exercised }) => exercised)).toEqual(Array(10).fill(true));
});
