import { expect, test } from 'vitest';
import { against, check } from '../../testing/checks.ts';
import { useClosing } from '../../testing/closing.ts';
import { find } from '../../testing/mock-service.ts';
import type { Faults, Row } from '../../testing/services/faulty-service.ts';
import { readOptions } from '../../testing/services/plain/options.ts';
import { startPlain } from '../../testing/services/plain/plain.ts';
import { profile, useFaultyService } from '../../testing/use-faulty-service.ts';
import { complaints, learnTerms } from '../../testing/use-foreign-service.ts';
import type { RunEvent } from '../run.ts';

const { start } = useFaultyService();

/** The time of a write. */
const at = (write: number) => new Date(Date.UTC(2025, 9, 22) + write * 1000).toISOString();
const STAMPS = { created: at(0), createUser: 1, updated: at(0), updateUser: 1 };
const THEIRS = { ...STAMPS, deleted: false, name: 'theirs' };

test('an id that is given again to the next record is no failure, and nothing is left behind', async () => {
  const service = await start({ rows: { brand: [{ name: 'mine' }] }, reuseIds: true });
  const models = ['brand', 'warehouse', 'customerTag', 'multipack', 'taskComment'];
  const results = await check(service.url, { profile, models });
  expect(complaints(results)).toEqual([]);
  expect([...(service.tables.brand?.keys() ?? [])]).toEqual([1]);
});

test.each(['was deleted', 'was looked for in vain'] as const)(
  'a record of somebody else is not written to that was given an id once it %s',
  async (moment) => {
    const theirs: number[] = [];
    const harm: string[] = [];
    // Another client gets the ID before the next request of the run.
    const take = (brands: Map<number, Row> | undefined, id: number) => {
      if (id >= 1000 || theirs.length === 50 || brands?.has(id)) return;
      theirs.push(id);
      brands?.set(id, { id, ...THEIRS });
    };
    const service = await start({
      reuseIds: true,
      faults: {
        store: (_, row, __, before) => (before ? row : { ...row, created: at(0) }),
        first(method, path, { brand }) {
          const id = Number(/brand\/(\d+)$/.exec(path)?.[1]);
          if (theirs.includes(id) && method !== 'GET') harm.push(`${method} ${id}`);
          const isAsked = /^(GET|POST|DELETE)$/.test(method) && !Number.isNaN(id);
          if (moment === 'was deleted' || !isAsked || brand?.has(id)) return undefined;
          take(brand, id);
          return 404;
        },
        after: (operation, model, { id }, { brand }) => {
          if (moment === 'was deleted' && operation === 'delete' && model === 'brand') take(brand, id);
        },
      },
    });
    const results = await check(service.url, { profile, models: ['brand'] });
    expect(theirs.length).toBeGreaterThan(0);
    const left = [...(service.tables.brand?.values() ?? [])].map(({ id, name }) => [id, name]);
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

test('a copy that an update makes is recognized by its time of creation if it gets a deleted ID', async () => {
  const model = 'locker';
  let writes = 0;
  const free: number[] = [];
  const service = await start({
    faults: {
      store: (_, row, __, before) => (before ? row : { ...row, created: at(++writes) }),
      after(operation, name, row, tables) {
        if (name !== model || operation === 'create') return;
        if (operation === 'delete') free.push(row.id);
        else if (free[0] !== undefined) tables[name]?.set(free[0], { ...row, id: free[0] });
      },
    },
  });
  const results = await check(service.url, {
    profile,
    models: [model, 'lockerType'],
    rules: ['operations.delete', 'update.keeps-other-records'],
  });
  const message = expect.stringContaining('a record that no accepted create sent');
  expect(find(results, `update.keeps-other-records:${model}`)).toMatchObject({ outcome: 'fail', message });
  expect(results.leftovers).toEqual([]);
});

test('a deleted record in a late list that shows times to the second is none that nobody was told of', async () => {
  let writes = 0;
  const gone: Row[] = [];
  const inList = (row: Row) => ({ ...row, created: String(row.created).replace('.671', '') });
  const service = await start({
    faults: {
      store: (_, row, __, before) =>
        before ? row : { ...row, created: `${at(++writes).slice(0, 19)}.671Z` },
      show: (_, row, where) => (where === 'list' ? inList(row) : row),
      after: (operation, name, row) =>
        void (operation === 'delete' && name === 'locker' && gone.push(inList(row))),
      list: (name, rows) => (name === 'locker' ? [...rows, ...gone] : rows),
    },
  });
  const models = ['locker', 'lockerType'];
  const results = await check(service.url, { profile, models, looks: [0] });
  expect(gone.length).toBeGreaterThan(0);
  expect(results.leftovers).toEqual([]);
});

const closing = useClosing();

test('run after run on one database: names that are unique, those of deleted rows too, don’t collide', async () => {
  const { url } = closing(await startPlain({ dialect: readOptions(['unique=names']) }));
  const models = ['brand'];
  for (const tag of ['t0', 't1']) {
    const learned = await learnTerms(url, { models, seed: 1000, tag: `${tag}l` });
    expect(complaints(await check(url, { ...learned, models, seed: 1000, tag }))).toEqual([]);
  }
});

test('a create that is refused for a value that another record has is sent once more with another one', async () => {
  let refused = 0;
  const refuse = (_: string, { name }: { readonly name?: unknown }) =>
    refused === 0 && typeof name === 'string' && ++refused > 0;
  const { url } = await start({ faults: { refuse } });
  const plan = { profile, tag: 'cc', models: ['warehouse'], rules: ['operations', 'create'] };
  expect(complaints(await check(url, plan))).toEqual([]);
  expect(refused).toBe(1);
});

const model = 'schoolPlanningExercise';

/** Checks a service with reused IDs and another client, which acts until the cases are tried again. */
async function besideOther(act: NonNullable<Faults['after']>, first: Faults['first']) {
  let open = Number.POSITIVE_INFINITY;
  const after: Faults['after'] = (operation, name, row, tables) => {
    if (name === model && open > 0) act(operation, name, row, tables);
  };
  const service = await start({ reuseIds: true, faults: { after, ...(first && { first }) } });
  const onEvent = (event: RunEvent) => {
    if (event.type === 'case') open--;
    if (event.type !== 'plan') return;
    open = event.cases;
    service.insert(model, { created: '2030-01-01T00:00:00Z' });
  };
  return against(await check(service.url, { profile, models: [model], looks: [0], onEvent }));
}

test('an equal record that another client gets under a deleted ID is no failure, although several records show it', async () => {
  const theirs = new Set<number>();
  let times = 0;
  const act: Faults['after'] = (operation, _, row, tables) => {
    if (operation !== 'delete') return;
    times++;
    theirs.add(row.id);
    tables[model]?.set(row.id, row);
  };
  // The other client deletes its record before the run creates the next one.
  const first: Faults['first'] = (method, path, tables) => {
    if (method !== 'POST' || !path.endsWith(model)) return undefined;
    for (const id of theirs) tables[model]?.delete(id);
    theirs.clear();
    return undefined;
  };
  expect(await besideOther(act, first)).toEqual([]);
  expect(times).toBeGreaterThan(2);
});

test('records that a second run deletes, because it had their IDs before, are no failure', async () => {
  let times = 0;
  const act: Faults['after'] = (operation, _, { id }, tables) => {
    if (operation === 'create' && ++times % 3 === 0) tables[model]?.delete(id - 1);
  };
  expect(await besideOther(act, undefined)).toEqual([]);
  expect(times).toBeGreaterThan(8);
});
