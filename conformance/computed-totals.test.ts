import { expect, test } from 'vitest';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { complaints, learnAndCheck, useForeignService } from '../testing/use-foreign-service.ts';

const { closing } = useForeignService();

test.each(['json', 'form'])(
  'a service that computes the totals of lines passes (%s)',
  { timeout: 60_000 },
  async (body) => {
    const dialect = readOptions(['totals=worked out', `body=${body}`]);
    const { url } = closing(await startPlain({ dialect }));
    const results = await learnAndCheck(url, { models: ['stockInvoice', 'stockInvoiceLine'] });
    expect(complaints(results)).toEqual([]);
  },
);
