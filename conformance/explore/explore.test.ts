import { expect, test } from 'vitest';
import { type Checking, check } from '../../testing/checks.ts';
import type { Faults } from '../../testing/services/faulty-service.ts';
import { profile, useFaultyService } from '../../testing/use-faulty-service.ts';

const { start } = useFaultyService();

/** Explores with few cases, so that sequences find the contradictions. */
async function run(faults: Faults, more: Checking = {}) {
  const service = await start({ faults });
  const models = ['brand', 'warehouse', 'customerTag'];
  const plan = { profile, models, rules: ['absent.put'], explore: 60, looks: [0], ...more };
  const results = await check(service.url, plan);
  return { results, left: Object.values(service.tables).reduce((sum, { size }) => sum + size, 0) };
}

test('sequences on a service that breaks nothing find nothing, and leave nothing behind', async () => {
  const { left, results } = await run({});
  const failed = results.cases.filter(({ outcome }) => outcome === 'fail');
  expect([failed, results.leftovers, left]).toEqual([[], [], 0]);
});

test('what a sequence breaks fails the case of the rule, with the shortest sequence that shows it', async () => {
  const updates = new Map<string, number>();
  const { results } = await run(
    {
      store: (model, row, _, before) => {
        const count = (updates.get(`${row.id}`) ?? 0) + 1;
        updates.set(`${row.id}`, count);
        return before && model === 'brand' && count > 3 ? { ...row, name: before.name } : row;
      },
    },
    { models: ['brand'], rules: ['update.changes-field'] },
  );
  const [failed] = results.cases.filter(({ outcome }) => outcome === 'fail');
  expect([failed?.id, failed?.sequence]).toEqual(['update.changes-field:brand.name', true]);
  expect(failed?.exchanges?.length).toBeGreaterThan(3);
  expect(failed?.exchanges?.length).toBeLessThan(12);
});
