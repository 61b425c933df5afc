import { expect, test } from 'vitest';
import { catalogue, references } from '../../testing/checks.ts';
import { complaintOf } from '../../testing/input-files/complaint.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { loadBindings } from './links.ts';

const directory = useDirectory();
const load = (text: string) => loadBindings(directory.write('b.yaml', text), catalogue, references);

test('bindings give IDs by the name of a model in or outside the catalogue', () => {
  const bindings = load('product: [101, 102]\npayment conditions: [1]\ncustomer: [7]\n');
  expect([...bindings]).toEqual([
    ['product', [101, 102]],
    ['payment conditions', [1]],
    ['customer', [7]],
  ]);
});

test('a binding can be a query for the list of a model', () => {
  expect([...load('customer: "?disabled=false"')]).toEqual([['customer', '?disabled=false']]);
});

test.each([
  ['product: 101', 'b.yaml:1: Expected a list for product, but found 101.'],
  ['product: "?active=true"', 'b.yaml:1: product has no list that a query can search. Use IDs, such as'],
  ['customer: "?"', 'b.yaml:1: customer must match pattern'],
  ['product: [1e300]', 'The IDs of product must be whole numbers, two if possible, but are [1e+300].'],
  ['prodct: [1]\nproduct: []', /Did you mean "product"\?\n.*:2: The IDs of product must be .* are \[\]/],
  ['__proto__: [1]', 'Unknown name "__proto__". Use one of 71 names, such as "product", "deposit",'],
  ['product: [7, 7]', 'b.yaml:1: product must NOT have duplicate items (items ## 1 and 0 are identical),'],
])('invalid bindings are rejected with file and line: %s', (text, message) => {
  expect(complaintOf(() => load(text))).toMatch(message);
});
