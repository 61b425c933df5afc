import { expect, test } from 'vitest';
import { loadCatalogue } from '../spec/catalogue/catalogue.ts';
import { useDirectory } from '../testing/temporary-directory.ts';
import { createMock } from './mock.ts';

const directory = useDirectory();

test('a mock is made of nothing, of settings and records, or of files', async () => {
  directory.write('mine.yaml', 'delete.effect: remove\n');
  directory.write('brands.yaml', 'brand: [{ id: 3, name: c }]\n');
  const made = await Promise.all(
    [
      {},
      { profile: { 'delete.effect': 'remove' }, fixtures: { brand: [{ id: 3, name: 'c' }] } },
      { profile: directory.path('mine.yaml'), fixtures: directory.path('brands.yaml') },
      { profile: { delete: { effect: 'remove' } }, fixtures: 'demo' },
    ].map(async (options) => {
      await using mock = await createMock(options);
      const brands = (await mock.state(['brand'])).brand?.map(({ id }) => id);
      return [mock.profile['delete.effect'], mock.base, brands?.slice(0, 1)];
    }),
  );
  expect(made).toEqual([
    ['mark', '/api/model', []],
    ['remove', '/api/model', [3]],
    ['remove', '/api/model', [3]],
    ['remove', '/api/model', [1]],
  ]);
});

test.each([
  [
    { profile: { 'delete.efect': 'mark' } },
    'profile:1: Unknown setting "delete.efect". Did you mean "delete.effect"?',
  ],
  [
    { profile: 'nowhere.yaml' },
    `nowhere.yaml can't be read because there is no such file or directory. Name a YAML file.`,
  ],
  [
    { fixtures: 'nowhere.yaml' },
    `nowhere.yaml can't be read because there is no such file or directory. Use demo, none, a YAML or JSON file, or a directory of them.`,
  ],
  [{ fixtures: { brandd: [] } }, 'fixtures: Unknown model "brandd". Did you mean "brand"?'],
])('of %j none is made, and it says why', async (options, message) => {
  await expect(createMock(options)).rejects.toThrow(message);
});

test('of a catalogue with lines in a circle none is made, and none is asked in vain', async () => {
  const shipped = loadCatalogue();
  const models = [...shipped.models].map(([name, model]) => {
    const lines = { ...model.fields[0], name: 'orders', key: `${name}.orders`, lines: 'stockOrder' };
    return [
      name,
      name === 'stockOrderLine' ? { ...model, fields: [...model.fields, lines] } : model,
    ] as const;
  });
  const catalogue = { ...shipped, models: new Map(models) } as typeof shipped;
  await expect(createMock({ catalogue })).rejects.toThrow(
    'The lines of stockOrderLine contain stockOrderLine again (stockOrderLine → stockOrder → stockOrderLine). Set types.lines to ids in the profile, or change the line models.',
  );
});
