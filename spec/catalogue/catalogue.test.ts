import { describe, expect, test } from 'vitest';
import { AREA, useCatalogueFiles } from '../../testing/input-files/catalogue-files.ts';
import { loadCatalogue } from './catalogue.ts';

const { load } = useCatalogueFiles();

describe('the catalogue that ships with the kit', () => {
  const catalogue = loadCatalogue();
  const models = [...catalogue.models.values()];
  const fields = models.flatMap((model) => model.fields);

  test('has the numbers of the source', () => {
    const undescribed = models.filter(({ about }) => about === undefined).map(({ name }) => name);
    expect(undescribed, 'models without a line in `descriptions` of their area').toEqual([]);
    const unnamed = fields.filter(({ choices = [] }) => choices.some(({ english }) => !english));
    expect(
      unnamed.map(({ key }) => key),
      'value lists without names in `english`',
    ).toEqual([]);
    expect(catalogue.areas.flatMap((area) => area.models).sort()).toEqual(
      [...catalogue.models.keys()].sort(),
    );
  });
});

describe('a directory of one’s own', () => {
  test('gives its models with the common fields first', () => {
    const { models, areas } = load({});
    expect(models.get('thing')?.fields.map((field) => field.key)).toEqual([
      'thing.id',
      'thing.deleted',
      'thing.name',
    ]);
    expect(areas).toEqual([{ name: 'Things', about: 'Things', models: ['thing'] }]);
  });

  test('may name models and fields like members of every object', () => {
    const { models } = load({
      'things.yaml': 'area: A\nmodels:\n  constructor:\n    toString: string req\n    hasOwnProperty: int\n',
    });
    expect(models.get('constructor')?.fields.map((field) => field.name)).toEqual([
      'id',
      'deleted',
      'toString',
      'hasOwnProperty',
    ]);
    expect(load({}).models.has('toString')).toBe(false);
  });

  test('may use anchors', () => {
    const { models } = load({ 'things.yaml': 'area: A\nmodels:\n  one: &x\n    name: string\n  two: *x\n' });
    expect(models.get('two')?.fields.at(-1)).toMatchObject({ key: 'two.name', type: 'string' });
  });

  test('keeps operations in the order of section 4, whatever the order in the file', () => {
    const { models } = load({ 'things.yaml': `${AREA}operations:\n  thing: [list, retrieve]\n` });
    expect(models.get('thing')?.operations).toEqual(['retrieve', 'list']);
  });
});
