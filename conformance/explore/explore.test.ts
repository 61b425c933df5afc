import { afterEach, expect, test } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { type Checking, catalogue, check } from '../../testing/checks.ts';
import { FAULTY_SETTINGS, type Faults, startFaultyService } from '../../testing/services/faulty-service.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const profile = createProfile(FAULTY_SETTINGS, catalogue);

/** Explores with few cases, so that sequences find the contradictions. */
async function run(faults: Faults, more: Checking = {}) {
  const service = await startFaultyService({ faults });
  open.push(service);
  const models = ['brand', 'warehouse', 'customerTag'];
  const results = await check(service.url, {
    profile,
    models,
    rules: ['absent.put'],
    explore: 60,
    looks: [0],
    ...more,
  });
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
