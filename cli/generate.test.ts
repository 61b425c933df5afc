import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AREA, COMMON } from '../testing/input-files/catalogue-files.ts';
import { useCommand } from '../testing/use-command.ts';

const { directory, read, run } = useCommand();
const committed = readFileSync(join(import.meta.dirname, '../spec/openapi.yaml'), 'utf8');

test('generate writes the document to standard output, or to a file in the format of its extension', async () => {
  expect(await run('generate')).toEqual({ code: 0, stdout: committed, stderr: '' });
  const flags = ['--models', 'brand', '-o', 'openapi.json'];
  expect(await run('generate', ...flags)).toEqual({ code: 0, stdout: '', stderr: '' });
  const document = JSON.parse(read('openapi.json'));
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(Object.keys(document.paths)).toEqual(['/api/model/brand', '/api/model/brand/{id}']);
});

test('generate adds servers, title, license, and contact', async () => {
  const servers = ['--server', 'https://a.example/v1', '--server', 'https://b.example'];
  const who = ['--title', 'Club', '--license', 'Apache-2.0', '--contact', 'api@club.example'];
  const flags = ['--format', 'json', '--models', 'brand'];
  const { code, stdout } = await run('generate', ...flags, ...servers, ...who);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    servers: [{ url: 'https://a.example/v1' }, { url: 'https://b.example' }],
    info: {
      title: 'Club',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { email: 'api@club.example' },
    },
  });
});

/** Writes a catalogue of one model into a directory. */
function writeCatalogue(name: string, area = AREA): void {
  mkdirSync(directory.path(name));
  directory.write(`${name}/common.yaml`, COMMON);
  directory.write(`${name}/things.yaml`, area);
}

test('generate --check reports whether a file is current and how to update it, and does not change it', async () => {
  directory.write('my profile.yaml', 'delete.effect: remove\n');
  writeCatalogue('own');
  mkdirSync(directory.path('out'));
  const contract = ['--profile', 'my profile.yaml', '--catalogue', 'own', '--models', 'thing'];
  const flags = [...contract, '--format', 'json', '-o', 'out/a.yaml'];
  const remedy =
    "record-model generate --profile 'my profile.yaml' --catalogue own --models thing --format json -o out/a.yaml\n";
  expect(await run('generate', '--check', ...flags)).toMatchObject({
    code: 2,
    stderr: `record-model: out/a.yaml can't be read. Write it first: ${remedy}`,
  });
  directory.write('out/a.yaml', '{}');
  expect(await run('generate', '--check', ...flags)).toMatchObject({
    code: 1,
    stderr: `out/a.yaml is out of date. Update it: ${remedy}`,
  });
  expect(read('out/a.yaml')).toBe('{}');
  expect((await run('generate', ...flags)).code).toBe(0);
  expect(await run('generate', '--check', ...flags)).toMatchObject({
    code: 0,
    stderr: 'out/a.yaml is up to date\n',
  });

  const older = ['--models', 'brand', '-o', 'old.json'];
  await run('generate', '--openapi', '3.0', ...older);
  expect(await run('generate', '--check', ...older)).toMatchObject({
    code: 2,
    stderr: 'record-model: old.json is an OpenAPI 3.0 document. To compare it, pass --openapi 3.0.\n',
  });
  expect((await run('generate', '--check', '--openapi', '3.0', ...older)).code).toBe(0);
});

test.each([
  ['types', 'api.d.ts', 'export interface Brand {'],
  ['html', 'page.html', 'Record Model API 2025-10-22'],
  ['diagram', 'models.mmd', 'erDiagram'],
])('export %s writes %s', async (name, file, part) => {
  const select = ['--models', 'brand'];
  expect(await run('export', name, ...select, '-o', file)).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(read(file)).toContain(part);
  expect(read(file)).not.toContain('voucher');
  if (file !== 'models.mmd') expect((await run('export', name, ...select)).stdout).toBe(read(file));
});

test('export schemas writes a directory', async () => {
  expect(await run('export', 'schemas', '--models', 'brand', '-o', 'out/schemas')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'Wrote 3 files to out/schemas\n',
  });
  const files = ['brand.create.json', 'brand.read.json', 'brand.update.json'];
  expect(readdirSync(directory.path('out/schemas')).toSorted()).toEqual(files);
});

test('export applies the profile, and other flags of generate', async () => {
  const profile = directory.write('p.yaml', 'response.record: /data\nresponse.records: /data\n');
  const { stdout } = await run('export', 'types', '--profile', profile, '--models', 'brand');
  expect(stdout).toContain('export interface BrandEnvelope {');
  const flags = ['--server', 'https://a.example/v1', '--title', 'Club', '--models', 'brand'];
  const page = (await run('export', 'html', ...flags)).stdout;
  expect(page).toContain('<title>Club 2025-10-22</title>');
  expect(page).toContain('"url":"https://a.example/v1"');
});

test('generate with selected models contains their operations and the models of their lines', async () => {
  const generate = async (...flags: string[]) =>
    JSON.parse((await run('generate', '--format', 'json', ...flags)).stdout);
  const document = await generate('--models', 'stockOrder,brand');
  const names = ['stockOrder', 'stockOrderLine', 'brand'];
  const paths = names.flatMap((name) => [`/api/model/${name}`, `/api/model/${name}/{id}`]);
  expect(Object.keys(document.paths).toSorted()).toEqual(paths.toSorted());
  expect(document.tags.map((tag: { name: string }) => tag.name).toSorted()).toEqual(names.toSorted());
  expect(document.info.description).toContain('3 models with 15 operations');
  // Supplier is not among them, and so can't be asked for.
  const { links } = document.paths['/api/model/stockOrder/{id}'].get.responses[200];
  expect(links).not.toHaveProperty('supplier');
  const whole = await generate();
  expect(whole.paths['/api/model/stockOrder/{id}'].get.responses[200].links).toHaveProperty('supplier');
  expect(document.paths['/api/model/brand'].post).toEqual(whole.paths['/api/model/brand'].post);
  expect(document.components.schemas.StockOrder).toEqual(whole.components.schemas.StockOrder);
});

test('diff reports changes between catalogues, and can fail on breaking changes', async () => {
  writeCatalogue('old');
  writeCatalogue('new', AREA.replace(' req', ''));
  const said = {
    stdout:
      'breaking  Thing (response)/name: type string → string or null\n' +
      'change    ThingCreate (request)/name: is optional now\n' +
      'change    ThingCreate (request)/name: type string → string or null\n' +
      'change    ThingUpdate (request)/name: type string → string or null\n' +
      'change    ThingCreate (request)/name: minLength 1 → none\n' +
      'change    ThingUpdate (request)/name: minLength 1 → none\n',
    stderr: '6 changes, 1 breaking\n',
  };
  expect(await run('diff', 'old', 'new')).toEqual({ code: 0, ...said });
  await run('generate', '--catalogue', 'old', '-o', 'old.yaml');
  expect(await run('diff', 'new', 'old.yaml', '--fail-on', 'breaking')).toMatchObject({
    code: 1,
    stderr: '6 changes, 5 breaking\n',
  });
});

test('diff between profiles shows the settings, and their consequences with --verbose', async () => {
  const [old, fresh] = [
    directory.write('old.yaml', '{}\n'),
    directory.write('new.yaml', 'status.created: 200\n'),
  ];
  const brief = await run('diff', old, fresh);
  expect(brief).toEqual({
    code: 0,
    stdout: 'setting   status.created: 201 → 200\n',
    stderr: expect.stringMatching(
      /^1 setting changed, which causes \d+ changes in the document \(\d+ breaking\)\. Pass --verbose/,
    ),
  });
  const { code, stdout, stderr } = await run('diff', old, fresh, '--verbose', '--fail-on', 'any');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^breaking {2}createBrand 201: is no longer returned$/m);
  // Each change is one line.
  const [, changes] = /causes (\d+) changes/.exec(stderr) ?? [];
  expect(stdout.trim().split('\n')).toHaveLength(Number(changes) + 1);
  expect(await run('diff', old, old, '--fail-on', 'any')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'No changes\n',
  });
});
