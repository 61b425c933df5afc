import { describe, expect, test } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { catalogue, check } from '../../testing/checks.ts';
import { useService } from '../../testing/mock-service.ts';

const { start } = useService();

describe('advice.pages-part-list', () => {
  test.each([
    ['page', 'unknown', 'pass', undefined],
    ['offset', 100, 'fail', 'the pages do not contain each record once'],
  ] as const)('by %s, shorter than asked for, max %s: %s', async (paging, most, outcome, message) => {
    const settings = { 'list.paging': { style: paging, default: 2, max: 2 } };
    const { url } = await start(undefined, { settings });
    for (let number = 0; number < 12; number++)
      await fetch(`${url}/api/model/brand`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: `brand ${number}` }),
      });
    const profile = createProfile({ 'list.paging': { style: paging, max: most } }, catalogue);
    const { cases } = await check(url, {
      models: ['brand'],
      rules: ['advice.pages-part-list'],
      profile,
    });
    expect(cases.map((one) => [one.outcome, one.message])).toEqual([[outcome, message]]);
  });
});
