import { expect, test } from 'vitest';
import { exitCode } from '../../conformance/results/results.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { catalogue } from '../../testing/mocks/mocks.ts';
import { coverProfiles } from '../../testing/profile/profile-cover.ts';
import { NO_POSTGRES, newDatabase } from '../../testing/stores/postgres.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { describeBad } from '../prove/run-on.ts';
import { fuzz } from './fuzz.ts';
import { type KillOptions, killUnderLoad } from './kill.ts';
import { createOrders } from './orders.ts';
import { checkReplicas } from './replicas.ts';

const directory = useDirectory();
/** The default profile, and two that differ most from it. `npm run prove:replicas` checks all models. */
const profiles = coverProfiles(catalogue);

test.for<[string, requests: number, seed: number, place?: () => string | Promise<string>]>([
  ['in memory', 10_000, 1],
  ['in a file', 10_000, 2, () => directory.path('mock.db')],
  // Where a database answers, each request costs a millisecond; `npm run prove:fuzz -- --postgres` sends more.
  ['in a database', 1500, 4, newDatabase],
])(
  'mostly invalid requests leave the records of a mock as expected %s',
  async ([, requests, seed, place], { skip }) => {
    skip(place === newDatabase && NO_POSTGRES);
    const data = await place?.();
    const { compared, problems, statuses } = await fuzz({ requests, seed, ...(data && { data }) });
    expect(problems).toEqual([]);
    expect(compared).toBeGreaterThan(requests / 2);
    expect([...statuses.keys()].sort()).toEqual([200, 201, 400, 404, 405, 422]);
  },
);

test.each([
  ['operations.failing', /was answered with 500/],
  ['create.reuses-deleted-id', /gave the id \d+ again/],
  ['delete.does-nothing', /lists .*, which nobody made in this session/],
  ['update.ignores-field-and-shows-it', /is not as it was answered/],
  ['list.wrong-total', /has no records; of/],
])('the fuzz test detects the defect %s', async (defect, problem) => {
  const { problems } = await fuzz({ requests: 1000, seed: 3, defect });
  expect(problems.join('\n')).toMatch(problem);
});

test.for<[string, replicas: number, profile: number, model: string, place?: typeof newDatabase]>([
  ['a file', 1, 0, 'stockOrder'],
  ['a file', 1, 1, 'stockInvoice'],
  ['a database', 3, 0, 'stockOrder', newDatabase],
  ['a database', 1, 1, 'warehouse', newDatabase],
  ['a database', 3, 2, 'warehouse', newDatabase],
])(
  'check passes on mocks in %s, %i behind a load balancer, profile %i',
  async ([, replicas, index, model, place], { skip }) => {
    skip(place === newDatabase && NO_POSTGRES);
    const profile = profiles[index] as Profile;
    const data = (await place?.()) ?? directory.path('mock.db');
    const results = await checkReplicas(data, { replicas, profile, models: [model] });
    expect(describeBad(results.cases)).toEqual([]);
    expect(exitCode(results)).toBe(0);
    expect(results.leftovers).toEqual([]);
    expect(results.cases.length).toBeGreaterThan(100);
  },
);

test.for<[string, options: Omit<KillOptions, 'seed'>]>([
  ['a file, --data-sync normal', { times: 1, flags: ['--data-sync', 'normal'] }],
  ['a file, --data-sync full', { times: 1, flags: ['--data-sync', 'full'] }],
  ['a database', { times: 2, place: newDatabase }],
])(
  'a killed mock has each acknowledged write completely, and no ID twice: %s',
  async ([, options], { skip }) => {
    skip(options.place === newDatabase && NO_POSTGRES);
    const { acknowledged, problems } = await killUnderLoad({ ...options, seed: 20251022 });
    expect(problems).toEqual([]);
    expect(acknowledged).toBeGreaterThan(10);
  },
);

test('the comparison after a kill detects lost, partial, and duplicate orders', () => {
  const orders = createOrders();
  const write = (id: number, lines: number[]) =>
    orders.end(orders.begin(lines.length), { id, lines: lines.map((line) => ({ id: line })) });
  write(1, [1, 2]);
  write(2, [3]);
  write(2, [3]);
  const stockOrder = [{ id: 1, comments: 'write 1 with 2 lines' }];
  const line = { stockOrder: 1, product: 1 };
  const stockOrderLine = [
    { id: 1, ...line },
    { id: 3, ...line, stockOrder: 9 },
  ];
  expect(orders.compare({ stockOrder, stockOrderLine })).toEqual([
    'order 2 was given twice',
    'line 3 was given twice',
    'order 9 has lines and is not there',
    'order 2 was acknowledged, and is not there',
    'order 1 has 1 lines; expected 2',
  ]);
  orders.begin(3, 1);
  const changed = { id: 1, comments: 'write 4 with 3 lines' };
  const lines = [1, 2, 3].map((id) => ({ id, stockOrder: 1, product: 4 }));
  expect(orders.compare({ stockOrder: [changed], stockOrderLine: lines })).toEqual([
    'order 2 was acknowledged, and is not there',
  ]);
});
