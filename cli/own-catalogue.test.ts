import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { sendJson } from '../testing/services/http-server.ts';
import { useCommand } from '../testing/use-command.ts';

const { directory, read, readResults, run, startMock } = useCommand();

/** A trace of the catalogue that ships with the kit: its title, its models, or a section of its source. */
const OF_THE_KIT = /Record Model API|stockOrder|subscriptionTask|\bsections?\b["']?:? ?["']?\d/i;

function writeCatalogue(): void {
  mkdirSync(directory.path('catalogue'), { recursive: true });
  directory.write(
    'catalogue/common.yaml',
    'title: Boat API\nversion: "2"\nbase: /v2/records\ncommon:\n  id: int ro\n  made: datetime ro\n  maker: int ro\n  moved: datetime ro\n  mover: int ro\n  removed: bool ro\n' +
      'roles: { created: made, createdBy: maker, updated: moved, updatedBy: mover, deleted: removed }\n',
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
}

const own = ['--catalogue', 'catalogue'];

test('generate, mock, learn, and check accept another catalogue, and do not mention the built-in one', async () => {
  writeCatalogue();
  const [document, html, mock] = await Promise.all([
    run('generate', ...own),
    run('export', 'html', '-o', 'document.html', ...own),
    startMock(...own),
  ]);
  expect([document.code, html.code]).toEqual([0, 0]);
  expect(Object.keys(parse(document.stdout).paths)).toEqual([
    '/v2/records/berth',
    '/v2/records/berth/{id}',
    '/v2/records/boat',
    '/v2/records/boat/{id}',
  ]);
  expect(mock.printed).toMatch(/^Mock of Boat API 2 is running on [\s\S]*2 models, 10 operations, 0 records/);
  const page = await fetch(mock.url, { headers: { accept: 'text/html' } });
  const create = async (model: string, body: object) =>
    (await sendJson('POST', `${mock.url}/v2/records/${model}`, body)).text();
  const refused = await create('boat', { kind: 9 });
  const formats = ['json', 'html', 'markdown', 'junit', 'har'] as const;
  const files = formats.flatMap((format) => [`--${format}`, `report.${format}`]);
  const learned = await run('learn', mock.url, '--write', '-o', 'learned.yaml', ...own);
  const flags = ['--profile', 'learned.yaml', '--explore', '0', ...own, ...files];
  const checked = await run('check', mock.url, ...flags);
  expect([learned.code, checked.code]).toEqual([0, 0]);
  const results = readResults('report.json');
  expect(results).toMatchObject({ catalogue: { title: 'Boat API', version: '2', models: 2 }, leftovers: [] });
  expect(results.coverage.operations.map(({ exercised }) => exercised)).toEqual(Array(10).fill(true));
  const marks = results.cases.find(({ id }) => id === 'profile.delete.effect:berth');
  expect(marks).toMatchObject({ outcome: 'pass' });
  // The mock finds the common fields by their roles.
  const { id, ...fields } = JSON.parse(await create('berth', { name: 'A' }));
  const time = expect.stringMatching(/^\d{4}-/);
  expect(fields).toMatchObject({ made: time, maker: 1, moved: time, mover: 1, removed: false });

  const texts = {
    document: document.stdout,
    mock: mock.printed,
    page: await page.text(),
    refused,
    learned: learned.stderr + read('learned.yaml'),
    rules: (await run('check', '--list-rules', ...own)).stdout,
    checked: checked.stdout + checked.stderr,
    ...Object.fromEntries(formats.map((format) => [format, read(`report.${format}`)])),
  };
  expect(texts.rules).toMatch(/^operations\.list +stated/);
  expect(texts.page).toContain('Mock console');
  expect(texts.refused).toContain('/kind must be one of 1, 2, but is 9.');
  for (const [name, text] of Object.entries(texts))
    expect.soft(OF_THE_KIT.exec(text)?.[0], `in ${name}`).toBeUndefined();
});
