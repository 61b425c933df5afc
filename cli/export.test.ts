import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { useCommand } from '../testing/use-command.ts';

const { directory, read, run } = useCommand();

describe('export', () => {
  test.each([
    ['types', 'api.d.ts', 'export interface Brand {'],
    ['html', 'page.html', 'Record Model API 2025-10-22'],
    ['diagram', 'models.mmd', 'erDiagram'],
  ])('%s writes %s', async (name, file, part) => {
    const select = ['--models', 'brand'];
    expect(await run('export', name, ...select, '-o', file)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(read(file)).toContain(part);
    expect(read(file)).not.toContain('voucher');
    if (file !== 'models.mmd') expect((await run('export', name, ...select)).stdout).toBe(read(file));
  });

  test('schemas writes a directory, and wants to know which', async () => {
    expect(await run('export', 'schemas', '--models', 'brand', '-o', 'out/schemas')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Wrote 3 files to out/schemas\n',
    });
    const files = ['brand.create.json', 'brand.read.json', 'brand.update.json'];
    expect(readdirSync(directory.path('out/schemas')).toSorted()).toEqual(files);
    directory.write('taken', '');
    expect(await run('export', 'schemas', '-o', 'taken')).toMatchObject({
      code: 2,
      stderr:
        "record-model: The directory taken can't be created because it exists already. Pass another directory to -o.\n",
    });
  });

  test('speaks the profile, and says what else is asked for', async () => {
    const profile = directory.write('p.yaml', 'response.record: /data\nresponse.records: /data\n');
    const { stdout } = await run('export', 'types', '--profile', profile, '--models', 'brand');
    expect(stdout).toContain('export interface BrandEnvelope {');
    const flags = ['--server', 'https://a.example/v1', '--title', 'Club', '--models', 'brand'];
    const page = (await run('export', 'html', ...flags)).stdout;
    expect(page).toContain('<title>Club 2025-10-22</title>');
    expect(page).toContain('"url":"https://a.example/v1"');
  });
});

describe('generate with a selection', () => {
  test('holds the operations of these models and the lines in them', async () => {
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

  test('of an area, in any case', async () => {
    const document = parse((await run('generate', '--area', 'lOCKERS')).stdout);
    expect(Object.keys(document.paths)).toContain('/api/model/locker');
    expect(Object.keys(document.paths)).not.toContain('/api/model/brand');
    expect(document['x-tagGroups']).toHaveLength(1);
  });
});
