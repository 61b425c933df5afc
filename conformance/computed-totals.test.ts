import { expect, test } from 'vitest';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { complaints, learnAndCheck, useForeignService } from '../testing/use-foreign-service.ts';

const { closing } = useForeignService();

test.each([
  ['totals of lines', 'json', ['stockInvoice', 'stockInvoiceLine']],
  ['totals of lines', 'form', ['stockInvoice', 'stockInvoiceLine']],
  ['the balance of a linked record', 'json', ['voucher', 'voucherTransaction']],
])('a service that computes %s passes (%s)', { timeout: 60_000 }, async (_, body, models) => {
  const dialect = readOptions(['totals=worked out', `body=${body}`]);
  const { url } = closing(await startPlain({ dialect }));
  const results = await learnAndCheck(url, { models });
  expect(complaints(results)).toEqual([]);
});
