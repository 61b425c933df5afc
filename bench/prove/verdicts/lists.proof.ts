import { expect, test } from 'vitest';
import { headline } from '../../../conformance/results/results.ts';
import { createProfile } from '../../../spec/profile/profile.ts';
import { against, catalogue, check, idsAgainst } from '../../../testing/checks.ts';
import { lateLists } from '../../../testing/proxies/late-lists.ts';
import { startRecordingProxy } from '../../../testing/proxies/recording-proxy.ts';
import type { At, Defect } from '../../../testing/services/defects/defect.ts';
import type { Service } from '../../../testing/services/service.ts';
import { complaints, learnAndCheck, useForeignService } from '../../../testing/use-foreign-service.ts';

const { closing, start } = useForeignService();
const HIDES_NEW: Partial<Defect> = {
  listed: (rows, { model }) => (model.name === 'stock' ? rows.slice(0, 2) : rows),
};

const selection = { models: ['stock'], rules: ['list'] };
const LISTS = ['list.shows-record:stock', 'list.shows-update:stock'];

test.each(['paging=none', 'paging=none size=20', 'paging=cursor size=2', 'paging=cursor_number'])(
  'with unknown paging, a list that never shows a new record fails, with %s',
  async (words) => {
    const manners = words.split(' ').map((word) => word.replace('_', ' '));
    const broken = await start(HIDES_NEW, ...manners);
    const results = await learnAndCheck(broken.url, selection);
    expect(idsAgainst(results)).toEqual(LISTS);
    expect(against(await learnAndCheck((await start({}, ...manners)).url, selection))).toEqual([]);
  },
);

test('with unknown paging, a list that can be full is skipped, and the headline names it', async () => {
  const service = await start(HIDES_NEW, 'paging=none', 'begins=empty');
  const results = await learnAndCheck(service.url, selection);
  expect(against(results)).toEqual([]);
  expect(headline(results)).toBe('CONFORMANT, list.shows-record:stock not judged');
});

/** Services that share no code with the suite and show lines by their ids. */

const profile = createProfile({ 'types.lines': 'ids' }, catalogue);
const RULES = ['create', 'update', 'list.shows-update'];

const isOrder = ({ model, on }: At, ...wanted: readonly At['on'][]) =>
  model.name === 'stockOrder' && wanted.includes(on);
const without = <Row extends object>({ lines: _, ...row }: Row & { lines?: unknown }) => row;

/** Creates lines from objects, shows them by their IDs, and keeps them when their parent is deleted. */
const shownById: Partial<Defect> = {
  leavesLines: true,
  shown: (row) =>
    Array.isArray(row.lines) ? { ...row, lines: row.lines.map(({ id }: { id: number }) => id) } : row,
};

test('lines are judged by the created lines only', async () => {
  expect(await run()).toEqual({ outcomes: ['pass', 'pass', 'pass'], failed: [] });
});

test('a service whose lines can be created only as separate records does not fail', async () => {
  const shown: Defect['shown'] = (row, at) => {
    if (at.model.name !== 'stockOrder') return row;
    const own = at.tables.all('stockOrderLine').filter(({ stockOrder }) => stockOrder === row.id);
    return { ...row, lines: own.map(({ id }) => id) };
  };
  const values: Defect['values'] = (row, at) =>
    isOrder(at, 'create', 'update') ? { ...without(row), ...(at.on === 'create' ? { lines: [] } : {}) } : row;
  expect(await run({ shown, values })).toEqual({ outcomes: ['skip', 'skip', 'pass'], failed: [] });
});

test('a service that rejects lines in their parent does not fail', async () => {
  const refuses: Defect['refuses'] = (at) =>
    isOrder(at, 'create', 'update') && Array.isArray(at.sent?.lines) && at.sent.lines.length > 0;
  expect((await run({ refuses })).failed).toEqual([]);
});

test.each([
  ['a create that drops lines', 'create', 'fail create.keeps-field:stockOrder.lines'],
  ['an update that drops lines', 'update', 'fail update.changes-field:stockOrder.lines'],
] as const)('%s fails its case, even if the other write keeps them', async (_, on, id) => {
  const values: Defect['values'] = (row, at) =>
    isOrder(at, on) && 'lines' in row ? { ...row, lines: [] } : row;
  expect((await run({ values })).failed).toContain(id);
});

test.each([
  ['a delete of the parent keeps them', () => shownById],
  ['a delete of the parent is rejected before', needsLinesRemoved],
])('lines that are shown as IDs are deleted before their parent: %s', async (_, defect) => {
  const service = await start(defect(), 'deletes=remove', 'begins=empty');
  const results = await learnAndCheck(service.url, { models: ['stockOrder', 'stockInvoice'] });
  expect([results.leftovers, service.live()]).toEqual([[], []]);
});

test('a line of an existing record is not deleted, even if a record of the run shows its ID', async () => {
  const shown: Defect['shown'] = (row, at) =>
    at.model.name === 'stockOrder' ? { ...row, lines: [1, 2] } : row;
  const service = await start({ shown }, 'deletes=remove');
  const before = service.live().filter((name) => name.startsWith('stockOrderLine/'));
  await learnAndCheck(service.url, { models: ['stockOrder'] });
  expect(service.live()).toEqual(expect.arrayContaining(before));
});

test('lines whose links a delete sets to null are deleted', async () => {
  const unlinks: Partial<Defect> = {
    leavesLines: true,
    after: ({ id, model, on, tables }) => {
      if (on !== 'delete' || !model.fields.some(({ lines }) => lines)) return;
      for (const row of tables.all(`${model.name}Line`))
        if (row[model.name] === id)
          tables.change(`${model.name}Line`, Number(row.id), { [model.name]: null });
    },
  };
  const service = await start(unlinks, 'deletes=remove');
  const before = service.live();
  const results = await learnAndCheck(service.url, { models: ['stockOrder', 'stockInvoice'] });
  expect([complaints(results), service.live()]).toEqual([[], before]);
});

/** Outcomes of the cases about lines, and what stands against the service. */
async function run(defect: Partial<Defect> = {}) {
  const service = await start(defect, 'sort=field', 'lines=ids');
  const before = service.live();
  const results = await check(service.url, { profile, models: ['stockOrder'], rules: RULES, looks: [0] });
  expect([results.leftovers, service.live()]).toEqual([[], before]);
  const outcomes = results.cases.filter(({ field }) => field === 'lines').map(({ outcome }) => outcome);
  return { outcomes, failed: against(results).map(({ id, outcome }) => `${outcome} ${id}`) };
}

/** Shows lines as above, and refuses to delete a record that has lines. */
function needsLinesRemoved(): Partial<Defect> {
  let tables: At['tables'] | undefined;
  return {
    ...shownById,
    shown(row, at) {
      tables = at.tables;
      return shownById.shown?.(row, at) ?? row;
    },
    route({ id, method, model }) {
      if (method !== 'DELETE' || !/^stock(Order|Invoice)$/.test(model)) return undefined;
      const hasLines = tables?.all(`${model}Line`).some((row) => String(row[model]) === id);
      return hasLines ? { method, model, id: 'none' } : undefined;
    },
  };
}

const LATE = { rules: ['list', 'create', 'delete', 'update'] };

async function behindLate(service: Service, late: number): Promise<string> {
  return closing(await startRecordingProxy(service.url, lateLists(late))).url;
}

test('a delayed list does not fail the service, and is reported', async () => {
  const url = await behindLate(await start(), 300);
  const results = await check(url, { ...LATE, models: ['brand'], looks: [700] });
  expect(complaints(results)).toEqual([]);
  expect(results.oddities).toEqual([expect.stringContaining('the list of brand is late')]);
});

test('a delayed list fails if it never shows a new record', async () => {
  const url = await behindLate(await start('list-hides-new'), 60);
  const results = await check(url, { ...LATE, models: ['lockerType'], looks: [400] });
  expect(idsAgainst(results)).toContain('list.shows-record:lockerType');
});
