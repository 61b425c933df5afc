import { expect, test } from 'vitest';
import { against, check } from '../../testing/checks.ts';
import { find, useService } from '../../testing/mock-service.ts';
import type { Defect } from '../../testing/services/defects/defect.ts';
import type { Row } from '../../testing/services/records/tables.ts';
import {
  BARE,
  complaints,
  insert,
  BARE_SETTINGS as settings,
  useForeignService,
} from '../../testing/use-foreign-service.ts';
import type { RunEvent } from '../run.ts';

const { start } = useForeignService();
const service = useService();
const REUSING = [...BARE, 'ids=used again'];

/** The time of a write. */
const at = (write: number) => new Date(Date.UTC(2025, 9, 22) + write * 1000).toISOString();
const STAMPS = { created: at(0), createUser: 1, updated: at(0), updateUser: 1 };
const THEIRS = { ...STAMPS, deleted: false, name: 'theirs' };

test('an id that is given again to the next record is no failure, and nothing is left behind', async () => {
  const service = await start({}, ...REUSING);
  insert(service, 'brand', { name: 'mine' });
  const models = ['brand', 'warehouse', 'customerTag', 'multipack', 'taskComment'];
  const results = await check(service.url, { settings, models });
  expect(complaints(results)).toEqual([]);
  expect([...service.tables.rowsOf('brand').keys()]).toEqual([1]);
});

test.each(['was deleted', 'was looked for in vain'] as const)(
  "the suite sends no write to another client's record that gets an ID after it %s",
  async (moment) => {
    const theirs: number[] = [];
    const harm: string[] = [];
    // Another client gets the ID before the next request of the run.
    const take = (id: number) => {
      if (id >= 1000 || theirs.length === 50 || tables.find('brand', id)) return;
      theirs.push(id);
      tables.insert('brand', { id, ...THEIRS });
    };
    const { tables, url } = await start(
      {
        values: (row, { on }) => (on === 'update' ? row : { ...row, created: at(0) }),
        answers({ id: text, method, model }) {
          const id = Number(text);
          if (model !== 'brand') return undefined;
          if (theirs.includes(id) && method !== 'GET') harm.push(`${method} ${id}`);
          const isAsked = /^(GET|POST|DELETE)$/.test(method) && Number.isInteger(id);
          if (moment === 'was deleted' || !isAsked || tables.find('brand', id)) return undefined;
          take(id);
          return 404;
        },
        after: ({ id = 0, model, on }) =>
          moment === 'was deleted' && on === 'delete' && model.name === 'brand' && take(id),
      },
      ...REUSING,
    );
    const results = await check(url, { settings, models: ['brand'] });
    expect(theirs.length).toBeGreaterThan(0);
    const left = tables.all('brand').map(({ id, name }) => [id, name]);
    expect(left).toEqual(theirs.map((id) => [id, 'theirs']));
    expect(harm).toEqual([]);
    expect(complaints(results)).toEqual([]);
    const where = moment === 'was deleted' ? 'operations.delete:brand' : 'readonly.on-update:brand.deleted';
    const message = `might be another client's record, so the run sends no write to it`;
    expect(find(results, where)).toMatchObject({
      outcome: 'skip',
      message: expect.stringContaining(message),
    });
  },
);

test('a copied record that gets a deleted ID is recognized by its creation time and deleted', async () => {
  const model = 'locker';
  let writes = 0;
  const free: number[] = [];
  const service = await start(
    {
      values: (row, { on }) => (on === 'update' ? row : { ...row, created: at(++writes) }),
      after({ id = 0, model: { name }, on, tables }) {
        if (name !== model || on === 'create') return;
        if (on === 'delete') free.push(id);
        else if (free[0] !== undefined) tables.insert(name, { ...tables.find(name, id), id: free[0] });
      },
    },
    ...BARE,
  );
  const results = await check(service.url, {
    settings,
    models: [model, 'lockerType'],
    rules: ['operations.delete', 'update.keeps-other-records'],
  });
  const message = expect.stringContaining('a record that no accepted create sent');
  expect(find(results, `update.keeps-other-records:${model}`)).toMatchObject({ outcome: 'fail', message });
  expect(results.leftovers).toEqual([]);
});

test('a deleted record in a stale list with times in seconds is not a leftover', async () => {
  let writes = 0;
  const gone: Row[] = [];
  const inList = (row: Row) => ({ ...row, created: String(row.created).replace('.671', '') });
  const { url } = await start(
    {
      values: (row, { on }) =>
        on === 'update' ? row : { ...row, created: `${at(++writes).slice(0, 19)}.671Z` },
      shown: (row, { on }) => (on === 'list' ? inList(row) : row),
      after: ({ before = {}, model, on }) =>
        on === 'delete' && model.name === 'locker' && gone.push(inList(before)),
      listed: (rows, { model }) => (model.name === 'locker' ? [...rows, ...gone] : rows),
    },
    ...BARE,
  );
  const models = ['locker', 'lockerType'];
  const results = await check(url, { settings, models, looks: [0] });
  expect(gone.length).toBeGreaterThan(0);
  expect(results.leftovers).toEqual([]);
});

test('a create that is rejected because another record has its value is sent again with another value', async () => {
  let refused = 0;
  const refuses: Defect['refuses'] = ({ sent }) =>
    refused === 0 && typeof sent?.name === 'string' && ++refused > 0;
  const { url } = await start({ refuses }, ...BARE);
  const plan = { settings, tag: 'cc', models: ['warehouse'], rules: ['operations', 'create'] };
  expect(complaints(await check(url, plan))).toEqual([]);
  expect(refused).toBe(1);
});

test('a create that asks for a length keeps the length if it is sent again with another value', async () => {
  const lengths: number[] = [];
  const limit = { settings: { 'limits.text': 50 } };
  const { url } = await service.start(({ body, method }) => {
    const { name = '' } = method === 'POST' ? JSON.parse(body) : {};
    const isFirst = name.length === 50 && lengths.length === 0;
    if (isFirst || (method === 'POST' && lengths.length === 1)) lengths.push(name.length);
    return isFirst ? { status: 409, body: {} } : undefined;
  }, limit);
  const results = await check(url, {
    ...limit,
    models: ['warehouse'],
    rules: ['profile.limits.text'],
    concurrency: 1,
  });
  expect([complaints(results), lengths]).toEqual([[], [50, 50]]);
});

const model = 'schoolPlanningExercise';

/** Checks a service with reused IDs and another client, which acts until the cases are tried again. */
async function besideOther(act: NonNullable<Defect['after']>, answers?: Defect['answers']) {
  let open = Number.POSITIVE_INFINITY;
  const after: Defect['after'] = (at) => at.model.name === model && open > 0 && act(at);
  const service = await start({ after, ...(answers && { answers }) }, ...REUSING);
  const onEvent = (event: RunEvent) => {
    if (event.type === 'case') open--;
    if (event.type !== 'plan') return;
    open = event.cases;
    insert(service, model, { created: '2030-01-01T00:00:00Z' });
  };
  return against(await check(service.url, { settings, models: [model], looks: [0], onEvent }));
}

test('an equal record that another client gets under a deleted ID is no failure, although several records show it', async () => {
  const theirs = new Set<() => void>();
  let times = 0;
  const act: Defect['after'] = ({ before = {}, id = 0, on, tables }) => {
    if (on !== 'delete') return;
    times++;
    theirs.add(() => tables.remove(model, id));
    tables.insert(model, before);
  };
  // The other client deletes its record before the run creates the next one.
  const answers: Defect['answers'] = ({ id, method, model: name }) => {
    if (method !== 'POST' || id !== undefined || name !== model) return undefined;
    for (const remove of theirs) remove();
    theirs.clear();
    return undefined;
  };
  expect(await besideOther(act, answers)).toEqual([]);
  expect(times).toBeGreaterThan(2);
});

test('records that a second run deletes, because it had their IDs before, are not a failure', async () => {
  let times = 0;
  const act: Defect['after'] = ({ id = 0, on, tables }) =>
    on === 'create' && ++times % 3 === 0 && tables.remove(model, id - 1);
  expect(await besideOther(act)).toEqual([]);
  expect(times).toBeGreaterThan(8);
});
