import { describe, expect, test } from 'vitest';
import { AREA, useCatalogueFiles } from '../../testing/input-files/catalogue-files.ts';
import { SOURCE } from '../../testing/source-facts.ts';
import { loadCatalogue, OPERATIONS } from './catalogue.ts';

const { load } = useCatalogueFiles();

describe('the catalogue that ships with the kit', () => {
  const catalogue = loadCatalogue();
  const models = [...catalogue.models.values()];
  const fields = models.flatMap((model) => model.fields);

  test('has the numbers of the source', () => {
    expect(models).toHaveLength(SOURCE.totals.models);
    expect(models.flatMap((model) => model.operations)).toHaveLength(SOURCE.totals.operations);
    expect(fields).toHaveLength(SOURCE.totals.fields);
    expect(fields.filter((field) => field.choices)).toHaveLength(SOURCE.totals.valueLists);
    expect(catalogue.areas).toHaveLength(SOURCE.totals.areas);
    expect(catalogue.areas.slice(0, 3).map(({ name }) => name)).toEqual([
      'Stock',
      'Vouchers',
      'Subscriptions',
    ]);
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

  test('has the base path and the version label of sections 4 and 9', () => {
    expect([catalogue.base, catalogue.version]).toEqual(['/api/model', '2025-10-22']);
  });

  test('spells ommitedSale as the source does', () => {
    expect(catalogue.models.has('ommitedSale')).toBe(true);
    expect(catalogue.models.has('omittedSale')).toBe(false);
  });

  test('has two operations and no deleted for subscriptionTask, and five and one for all others', () => {
    const task = catalogue.models.get('subscriptionTask');
    expect(task?.operations).toEqual(['retrieve', 'list']);
    expect(task?.fields.map((field) => field.name)).toEqual([
      'id',
      'created',
      'createUser',
      'updated',
      'updateUser',
      'type',
    ]);
    for (const model of models.filter((other) => other !== task)) {
      expect(model.operations).toEqual(OPERATIONS);
      expect(model.fields.filter((field) => field.name === 'deleted')).toHaveLength(1);
    }
  });

  test('keeps flags, remarks, lines and value lists of a field', () => {
    const field = (key: string) => fields.find((candidate) => candidate.key === key);
    expect(field('stock.subfamily')).toEqual({
      name: 'subfamily',
      key: 'stock.subfamily',
      type: 'string',
      required: true,
      readonly: false,
      common: false,
      about: 'the subfamily id',
    });
    expect(field('stockInvoice.lines')).toMatchObject({
      type: 'lines',
      lines: 'stockInvoiceLine',
      required: true,
    });
    expect(field('stockInvoiceLine.stockInvoice')).toMatchObject({ required: true, readonly: true });
    expect(field('warehouse.id')).toMatchObject({
      type: 'int',
      common: true,
      required: false,
      readonly: true,
    });
    expect(field('crmContact.language')?.choices).toEqual([
      { value: 'es', name: 'Español', english: 'Spanish' },
      { value: 'en', name: 'Inglés', english: 'English' },
    ]);
    expect(field('customer.language')?.choices).toBeUndefined();
    expect(
      field('subscription.period')
        ?.choices?.map((choice) => choice.value)
        .sort(),
    ).toEqual([0, 7, 1, 20, 30, 60, 120].sort());
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

  test('leaves other files alone', () => {
    expect(load({ 'notes.txt': 'no catalogue', 'things.json': '[]' }).models.size).toBe(1);
  });
});
