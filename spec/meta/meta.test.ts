import { describe, expect, test } from 'vitest';
import { useCatalogueFiles } from '../../testing/input-files/catalogue-files.ts';
import { SOURCE } from '../../testing/source-facts.ts';
import { loadContract } from '../contract.ts';
import { createProfile, SETTINGS } from '../profile/profile.ts';
import { describeContract, type FieldFacts } from './meta.ts';

const contract = loadContract();
const facts = describeContract(contract);

/** The facts about `model.field` under some settings. */
function fieldOf(key: string, settings: Readonly<Record<string, unknown>> = {}): FieldFacts | undefined {
  const profile = createProfile(settings, contract.catalogue);
  const [model = '', name] = key.split('.');
  return describeContract({ ...contract, profile }).models[model]?.fields.find(
    (field) => field.name === name,
  );
}

describe('the facts of the contract', () => {
  test('name the path, the operations, and the section of a model', () => {
    expect(facts.models.subscriptionTask).toMatchObject({
      area: 'Subscriptions',
      section: '2.3',
      path: '/api/model/subscriptionTask',
      operations: ['retrieve', 'list'],
    });
    const cited = facts.areas.map(({ name, section }) => [name, section]);
    expect(Object.fromEntries(cited)).toEqual(SOURCE.sections);
  });

  test('name the section and the basis of each fact about a field', () => {
    expect(fieldOf('stockOrder.status')).toEqual({
      name: 'status',
      type: 'select',
      required: true,
      readonly: false,
      basis: 'assumed',
      bases: { type: 'stated', required: 'stated', readonly: 'stated', values: 'stated', form: 'assumed' },
      section: '2.1; 3',
      values: [
        { value: 0, label: 'Abierto', english: 'Open' },
        { value: 1, label: 'Enviado', english: 'Sent' },
        { value: 2, label: 'Parcialmente recibido', english: 'PartiallyReceived' },
        { value: 3, label: 'Recibido', english: 'Received' },
      ],
      form: 'types.select',
    });
    expect(fieldOf('brand.id')).toMatchObject({ basis: 'stated', section: '2.0' });
    expect(fieldOf('voucher.customer')).toMatchObject({
      basis: 'inferred',
      bases: { link: 'inferred' },
      link: { model: 'customer', reason: 'the field has the name of the model' },
    });
    expect(fieldOf('stock.product')).toMatchObject({ basis: 'inferred', outside: 'product' });
    expect(fieldOf('stock.subfamily')?.description).toBe('the subfamily id');
  });

  test('have a maximum length and unlisted values only if the profile assumes them', () => {
    expect(fieldOf('brand.name')).not.toHaveProperty('maxLength');
    expect(fieldOf('brand.name', { 'limits.text': 255 })).toMatchObject({
      maxLength: 255,
      basis: 'assumed',
      bases: { type: 'stated', maxLength: 'assumed' },
    });
    expect(fieldOf('customer.email', { 'limits.text': 255 })).not.toHaveProperty('maxLength');
    expect(fieldOf('customer.language')).not.toHaveProperty('values');
    const values = { 'customer.language': ['es'], fkModel: ['voucher'] };
    expect(fieldOf('customer.language', { values })).toMatchObject({
      values: [{ value: 'es', label: 'es' }],
      bases: { values: 'assumed' },
    });
    expect(fieldOf('stockTransaction.fkModel', { values })).toMatchObject({ values: [{ value: 'voucher' }] });
  });

  test('have a minimum length if the profile rejects empty strings, and the field needs a value', () => {
    expect(fieldOf('brand.name')).toMatchObject({
      minLength: 1,
      basis: 'assumed',
      bases: { type: 'stated', minLength: 'assumed' },
    });
    expect(fieldOf('brand.name', { 'request.blankStrings': 'accept' })).not.toHaveProperty('minLength');
    for (const key of ['customer.lastName', 'customer.birthdate', 'brand.id'])
      expect(fieldOf(key)).not.toHaveProperty('minLength');
  });

  test('have each setting with its value, its options, and the statement of the source', () => {
    const profile = createProfile({ delete: { effect: 'remove' }, auth: 'unknown' }, contract.catalogue);
    const { profile: settings } = describeContract({ ...contract, profile });
    expect(settings.map(({ setting }) => setting)).toEqual(SETTINGS.map(({ name }) => name));
    expect(settings.find(({ setting }) => setting === 'delete.effect')).toEqual({
      setting: 'delete.effect',
      value: 'remove',
      default: 'mark',
      title: 'The effect of a delete',
      about: expect.stringMatching(/^The effect of a delete\. `mark` sets the field `deleted`/),
      says: 'The source does not state whether a delete removes a record or only sets deleted.',
      section: '4, rule 6',
      options: ['mark', 'mark-listed', 'mark-only-listed', 'remove'],
      closed: true,
      unknown: false,
      live: 'all',
    });
    const withoutStatement = settings.filter(({ says, title }) => !says || !title || title.endsWith('.'));
    expect(withoutStatement).toEqual([]);
    expect(settings.find(({ setting }) => setting === 'auth')?.unknown).toBe(true);
    expect(settings.find(({ setting }) => setting === 'status.created')?.closed).toBe(false);
  });
});

const { load } = useCatalogueFiles();

test('the facts of another catalogue cite no sections of the Record Model API', () => {
  const catalogue = load({});
  expect(JSON.stringify(describeContract({ ...contract, catalogue }))).not.toMatch(/"section"|"says"/);
});

test('the facts of another catalogue cite its own sections', () => {
  const catalogue = load({
    'things.yaml':
      "area: A\nsection: '7'\nmodels:\n  thing:\n    kind: select\nvalues:\n  thing.kind: { 1: One }\nvalueSections:\n  thing.kind: '9'\n",
  });
  const { models } = describeContract({ ...contract, catalogue });
  expect(models.thing?.section).toBe('7');
  expect(models.thing?.fields.map(({ section }) => section)).toEqual([undefined, undefined, '7; 9']);
  expect(() =>
    load({
      'things.yaml': "area: A\nmodels:\n  thing:\n    name: string\nvalueSections:\n  thing.name: '9'\n",
    }),
  ).toThrow('thing.name');
});
