import { afterEach, expect, test } from 'vitest';
import { createProfile } from '../spec/profile/profile.ts';
import { against, catalogue, check } from '../testing/checks.ts';
import type { At, Defect } from '../testing/services/defects/defect.ts';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import type { Service } from '../testing/services/service.ts';

/** Services that share no code with the suite and show lines by their ids. */
let service: Service | undefined;
afterEach(() => service?.close());

const profile = createProfile({ 'types.lines': 'ids' }, catalogue);
const RULES = ['create', 'update', 'list.shows-update'];

/** Outcomes of the cases about lines, and what stands against the service. */
async function run(defect: Partial<Defect> = {}) {
  const dialect = readOptions(['sort=field', 'lines=ids']);
  service = await startPlain({ dialect, defect: { name: 'test', rules: [], models: [], ...defect } });
  const before = service.live();
  const results = await check(service.url, { profile, models: ['stockOrder'], rules: RULES, looks: [0] });
  expect([results.leftovers, service.live()]).toEqual([[], before]);
  const outcomes = results.cases.filter(({ field }) => field === 'lines').map(({ outcome }) => outcome);
  return { outcomes, failed: against(results).map(({ id, outcome }) => `${outcome} ${id}`) };
}

const isOrder = ({ model, on }: At, ...wanted: readonly At['on'][]) =>
  model.name === 'stockOrder' && wanted.includes(on);
const without = <Row extends object>({ lines: _, ...row }: Row & { lines?: unknown }) => row;

test('lines are judged by the lines that were made alone', async () => {
  expect(await run()).toEqual({ outcomes: ['pass', 'pass', 'pass'], failed: [] });
});

test('a service that knows lines by their own records alone is not failed', async () => {
  const shown: Defect['shown'] = (row, at) => {
    if (at.model.name !== 'stockOrder') return row;
    const own = at.tables.all('stockOrderLine').filter(({ stockOrder }) => stockOrder === row.id);
    return { ...row, lines: own.map(({ id }) => id) };
  };
  const values: Defect['values'] = (row, at) =>
    isOrder(at, 'create', 'update') ? { ...without(row), ...(at.on === 'create' ? { lines: [] } : {}) } : row;
  expect(await run({ shown, values })).toEqual({ outcomes: ['skip', 'skip', 'pass'], failed: [] });
});

test('nor is one that refuses lines which stand elsewhere', async () => {
  const refuses: Defect['refuses'] = (at) =>
    isOrder(at, 'create', 'update') && Array.isArray(at.sent?.lines) && at.sent.lines.length > 0;
  expect((await run({ refuses })).failed).toEqual([]);
});

test.each([
  ['a create that drops them', 'create', 'fail create.keeps-field:stockOrder.lines'],
  ['an update that drops them', 'update', 'fail update.changes-field:stockOrder.lines'],
] as const)('%s fails its case, where the other write keeps them', async (_, on, id) => {
  const values: Defect['values'] = (row, at) =>
    isOrder(at, on) && 'lines' in row ? { ...row, lines: [] } : row;
  expect((await run({ values })).failed).toContain(id);
});
