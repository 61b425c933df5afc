import { mkdirSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { complaintOf } from '../testing/input-files/complaint.ts';
import { useDirectory } from '../testing/temporary-directory.ts';
import { loadCatalogue, type Model } from './catalogue/catalogue.ts';
import { loadReferences, parentLink } from './references.ts';

const catalogue = loadCatalogue();
const references = loadReferences(catalogue);
const model = (name: string) => catalogue.models.get(name) as Model;

const { path, write } = useDirectory();

beforeEach(() => {
  mkdirSync(path('catalogue'));
});

function load(text: string) {
  write('references.yaml', text);
  return loadReferences(catalogue, path('catalogue'));
}

const complaint = (text: string) => complaintOf(() => load(text));

const fields = [...catalogue.models.values()].flatMap((owner) => owner.fields);

test('the included links lead to models of the catalogue, or name a model outside', () => {
  for (const [key, reference] of references) {
    const field = fields.find((candidate) => candidate.key === key);
    expect([key, field?.type]).toEqual([key, expect.stringMatching(/^(int|manyToMany)$/)]);
    if ('to' in reference) {
      expect([key, catalogue.models.has(reference.to)]).toEqual([key, true]);
      expect(reference.why).toMatch(/\w/);
    } else {
      expect(reference.outside).toMatch(/\w/);
    }
  }
});

test('the included links cover each manyToMany field, and each int field named like a model', () => {
  const linked = fields.filter(
    (field) => field.type === 'manyToMany' || (field.type === 'int' && catalogue.models.has(field.name)),
  );
  expect(linked.filter((field) => !references.has(field.key)).map((field) => field.key)).toEqual([]);
  expect(linked.length).toBeGreaterThan(30);
});

test('the parent link of a line is the field that links to the parent', () => {
  const link = parentLink(model('stockInvoiceLine'), model('stockInvoice'), references);
  expect(link?.key).toBe('stockInvoiceLine.stockInvoice');
  expect(parentLink(model('stockOrderLine'), model('stockOrder'), references)?.key).toBe(
    'stockOrderLine.stockOrder',
  );
});

test('links are read from references.yaml next to the catalogue', () => {
  const text = 'inside:\n  voucher.customer: { to: customer, why: so }\noutside:\n  shop: [voucher.type]\n';
  expect([...load(text)]).toEqual([
    ['voucher.customer', { to: 'customer', why: 'so' }],
    ['voucher.type', { outside: 'shop' }],
  ]);
  expect([...load('')]).toEqual([]);
});

test.each(['.', '../catalogue/', 'area/..'])(
  'references.yaml is found next to the catalogue named %s',
  (name) => {
    mkdirSync(path('catalogue/area'));
    load('outside: { shop: [voucher.type] }');
    process.chdir(path('catalogue'));
    expect(loadReferences(catalogue, name).size).toBe(1);
  },
);

test.each([
  ['inside:\n  voucher.custmer: { to: customer, why: so }', '2: Unknown field "voucher.custmer". Did you'],
  ['outside:\n  shop:\n    - vouche.type', 'references.yaml:3: Unknown model "vouche" in vouche.type.'],
  ['outside: { shop: [__proto__.constructor] }', 'Unknown model "__proto__" in __proto__.constructor.'],
  ['inside:\n  voucher.customer: { to: custmer, why: so }', '2: Unknown model "custmer". Did you mean'],
  ['outside:\n  shop: [warehouse.name]', 'warehouse.name must be of type int or manyToMany to hold a'],
  [
    'inside: { voucher.type: { to: voucherType, why: so } }\noutside: { shop: [voucher.type] }',
    'references.yaml:2: voucher.type is listed twice. List each field once.',
  ],
  ['inside: { voucher.type: { to: voucherType } }', 'why is missing in voucher.type. Add a string.'],
  ['insde: {}', 'references.yaml:1: Unknown key "insde". Did you mean "inside"?'],
])('an invalid file of links is rejected, with file and line, for %j', (text, reason) => {
  expect(complaint(text)).toContain(reason);
});
