import { describe, expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { catalogue, references } from '../../testing/checks.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { loadBindings } from './bindings.ts';

const directory = useDirectory();
const load = (text: string) => loadBindings(directory.write('b.yaml', text), catalogue, references);

test('bindings are ids by the name of a thing outside the catalogue, or of a model', () => {
  const bindings = load('product: [101, 102]\npayment conditions: [1]\ncustomer: [7]\n');
  expect([...bindings]).toEqual([
    ['product', [101, 102]],
    ['payment conditions', [1]],
    ['customer', [7]],
  ]);
});

describe('bindings are refused, with file and line,', () => {
  test.each([
    [
      'for a name that nothing links to',
      'sale: [1]\nprodct: [1]',
      /b\.yaml:2: the name is "prodct"; .*Did you mean product\?$/,
    ],
    ['for no ids', 'product: []', /b\.yaml:1: the ids of product are \[\]; expected whole numbers/],
    ['for an id that is no list', 'product: 101', /b\.yaml:1: found 101; expected a list$/],
    ['for a text', 'product: ["101"]', /b\.yaml:1: the ids of product are \["101"\]; expected whole numbers/],
    ['for a fraction', 'product: [1.5]', /the ids of product are \[1\.5\]/],
    ['for a number beyond all ids', 'product: [1e300]', /the ids of product are \[1e\+300\]/],
    ['for nothing', 'product:', /b\.yaml:1: found nothing; expected a list$/],
    ['for a name that every object has', 'constructor: [1]', /the name is "constructor"/],
    ['for a name that reaches beyond', '__proto__: [1]', /the name is "__proto__"/],
    ['as a list', '- product', /b\.yaml:1: found a list; expected a mapping$/],
    ['for an id that stands twice', 'product: [7, 7]', /b\.yaml:1: product is a list; it must NOT have dupl/],
    ['where a name stands twice', 'product: [1]\nproduct: [2]', /b\.yaml:2: Map keys must be unique$/],
  ])('%s', (_, text, message) => {
    expect(() => load(text)).toThrow(UsageError);
    expect(() => load(text)).toThrow(message);
  });

  test('in a file that is not there', () => {
    expect(() => loadBindings(directory.path('none.yaml'), catalogue, references)).toThrow(
      /none\.yaml can't be read \(ENOENT\)/,
    );
  });
});
