import { expect, test } from 'vitest';
import { type Checking, check } from '../../testing/checks.ts';
import type { Defect } from '../../testing/services/defects/defect.ts';
import { BARE, BARE_SETTINGS as settings, useForeignService } from '../../testing/use-foreign-service.ts';

const { start } = useForeignService();

/** Explores with few cases, so that sequences find the contradictions. */
async function run(defect: Partial<Defect>, more: Checking = {}) {
  const service = await start(defect, ...BARE);
  const models = ['brand', 'warehouse', 'customerTag'];
  const plan = { settings, models, rules: ['absent.put'], explore: 60, looks: [0], ...more };
  const results = await check(service.url, plan);
  return { results, left: service.live() };
}

test('exploration of a service without faults reports no failure and leaves no records', async () => {
  const { left, results } = await run({});
  const failed = results.cases.filter(({ outcome }) => outcome === 'fail');
  expect([failed, results.leftovers, left]).toEqual([[], [], []]);
});

test('a failure that exploration finds fails the case of its rule, with a short sequence of requests', async () => {
  const updates = new Map<string, number>();
  const { results } = await run(
    {
      values: (row, { before, model }) => {
        const count = (updates.get(`${before?.id}`) ?? 0) + 1;
        updates.set(`${before?.id}`, count);
        return before && model.name === 'brand' && count > 3 ? { ...row, name: before.name } : row;
      },
    },
    { models: ['brand'], rules: ['update.changes-field'] },
  );
  const [failed] = results.cases.filter(({ outcome }) => outcome === 'fail');
  expect([failed?.id, failed?.sequence]).toEqual(['update.changes-field:brand.name', true]);
  expect(failed?.exchanges?.length).toBeGreaterThan(3);
  expect(failed?.exchanges?.length).toBeLessThan(12);
});
