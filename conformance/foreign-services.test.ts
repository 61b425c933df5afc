import { afterEach, describe, expect, test } from 'vitest';
import { against, check } from '../testing/checks.ts';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import type { Service } from '../testing/services/service.ts';

/** Held against a service that shares no code with the suite. */
let service: Service | undefined;
afterEach(() => service?.close());

async function serve(...words: string[]): Promise<string> {
  service = await startPlain({ dialect: readOptions(words) });
  return service.url;
}

describe('a form that the source does not show (2.12)', () => {
  const rules = ['fields.wrong-type-on-create', 'fields.wrong-type-on-update'];

  test('is not held against a service that takes any text for a duration', async () => {
    const results = await check(await serve('duration=text'), {
      models: ['voucherType', 'subscription'],
      rules,
    });
    expect(against(results).map(({ id, message }) => `${id}: ${message}`)).toEqual([]);
    expect(
      results.cases.filter(({ field, outcome }) => field === 'expiration' && outcome === 'pass'),
    ).toHaveLength(4);
  });
});
