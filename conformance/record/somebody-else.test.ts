import { expect, test } from 'vitest';
import { against, check } from '../../testing/checks.ts';
import type { Faults } from '../../testing/services/faulty-service.ts';
import { profile, useFaultyService } from '../../testing/use-faulty-service.ts';
import { verdictOf } from '../results/results.ts';

const { failures, start } = useFaultyService();

const models = ['warehouse', 'taskComment'];
const rows = { taskComment: [{ body: 'an old one' }, { body: 'another' }] };

test('a record of another model, which no reference leads to, that is gone once another one is deleted is named, and nobody is blamed without a proof', async () => {
  const faults: Faults = {
    after: (operation, model, _, tables) =>
      void (operation === 'delete' && model === 'warehouse' && tables.taskComment?.delete(1)),
  };
  const service = await start({ faults, rows });
  const results = await check(service.url, { profile, models, looks: [0] });
  expect(against(results)).toEqual([]);
  expect(verdictOf(results)).toBe('conformant');
  expect(results.oddities?.join()).toMatch(/taskComment.\d+ no longer exists during the run/);
});

test('a record of another model, which no reference leads to, that an update renames', async () => {
  const faults: Faults = {
    after: (operation, model, { id }, tables) => {
      const other = tables.taskComment?.get(2);
      if (operation === 'update' && model === 'warehouse' && other) other.body = `renamed ${id}`;
    },
  };
  const failed = await failures(models, { faults, rows });
  expect(failed.filter((id) => id.includes('keeps-other-records'))).not.toEqual([]);
});

test.each([undefined, 5])(
  'another client that adds and changes records is named, and does not change the verdict (every %s ms)',
  async (every) => {
    const service = await start({ rows: { brand: [{ name: 'one' }, { name: 'two' }] } });
    const [row] = service.tables.brand?.values() ?? [];
    const change = () => {
      if (row) row.name = `${row.name}!`;
    };
    const timer = every === undefined ? undefined : setInterval(change, every);
    let ended = 0;
    const onEvent = ({ type }: { type: string }) => {
      if (type !== 'case' || ++ended !== 20) return;
      service.insert('brand', { name: 'of somebody else', created: '2030-01-01T00:00:00Z' });
      change();
    };
    const results = await check(service.url, { profile, models: ['brand'], looks: [0], onEvent });
    clearInterval(timer);
    expect([against(results), verdictOf(results), results.leftovers]).toEqual([[], 'conformant', []]);
    expect(results.oddities?.join()).toMatch(
      /brand.1 changed during the run; another client might have written to it/,
    );
  },
);

test('another run whose new record is gone after the first delete of this run is not this run', async () => {
  let isDone = false;
  const faults: Faults = {
    after: (operation, model, _, tables) => {
      if (operation === 'delete' && model === 'brand' && !isDone) isDone = tables.brand?.delete(1) ?? false;
    },
  };
  const created = new Date().toISOString();
  const rows = {
    brand: [{ name: 'without a tag', created }],
    warehouse: [{ name: 'name Eclat k3f9-1002', comments: null, created }],
  };
  const service = await start({ faults, rows });
  const results = await check(service.url, { profile, models: ['brand', 'warehouse'], looks: [0] });
  expect(isDone).toBe(true);
  expect([against(results), verdictOf(results)]).toEqual([[], 'conformant']);
});

test.each([
  ['is named, if another client writes too', true, 'conformant'],
  ['leaves the verdict open, if nobody else writes', false, 'inconclusive'],
])('a record of the run that is gone once, without a cause, %s', async (_, isShared, verdict) => {
  let creates = 0;
  const faults: Faults = {
    after: (operation, model, _, { brand }) => {
      if (operation !== 'create' || model !== 'warehouse' || ++creates !== 3) return;
      brand?.delete(Math.max(...brand.keys()));
      if (isShared) service.insert('brand', { name: 'of somebody else', created: '2030-01-01T00:00:00Z' });
    },
  };
  const service = await start({ faults });
  const results = await check(service.url, { profile, models: ['brand', 'warehouse'], looks: [0] });
  expect([verdictOf(results), against(results).map(({ outcome }) => outcome)]).toEqual([
    verdict,
    isShared ? [] : ['flaky'],
  ]);
});
