import { expect, test } from 'vitest';
import { against } from '../testing/checks.ts';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { complaints, learnAndCheck, useForeignService } from '../testing/use-foreign-service.ts';

const { closing } = useForeignService();
const DIALECT = readOptions(['body=form']);
const MODELS = ['brand', 'customer', 'stockInvoice', 'voucherType'];

test('a service with form bodies passes', { timeout: 60_000 }, async () => {
  const { url } = closing(await startPlain({ dialect: DIALECT }));
  expect(complaints(await learnAndCheck(url, { models: MODELS }))).toEqual([]);
});

test.each(['create', 'update'] as const)(
  'a service with form bodies fails if it stores the text of a readonly field on %s',
  async (operation) => {
    const defect = {
      name: 'stores createUser',
      rules: [],
      models: ['brand'],
      takes: (...[, field, on]: [unknown, { readonly name: string }, string]) =>
        field.name === 'createUser' && on === operation,
    };
    const { url } = closing(await startPlain({ dialect: DIALECT, defect }));
    const failed = against(await learnAndCheck(url, { models: ['brand'] })).map(({ id }) => id);
    expect(failed).toContain(`readonly.on-${operation}:brand.createUser`);
  },
);
