import { expect, test } from 'vitest';
import { check, idsAgainst } from '../../testing/checks.ts';
import { before, changing } from '../../testing/proxies/wrap.ts';
import type { Defect } from '../../testing/services/defects/defect.ts';
import { BASE, type Service } from '../../testing/services/service.ts';
import { complaints, useForeignService } from '../../testing/use-foreign-service.ts';

const { start } = useForeignService();

const models = ['subscriptionTask'];
const TASK = `${BASE}/subscriptionTask/`;
const PUT_AND_PATCH: Defect['route'] = (line) =>
  line.id && ['PUT', 'PATCH'].includes(line.method) ? { ...line, method: 'POST' } : undefined;
const OPENED: Partial<Defect> = { opens: ['update', 'delete'], route: PUT_AND_PATCH };

/** Checks the service as behind a proxy that adds Via, and returns the writes that were sent to a record of the model. */
async function checkForwarded(service: Service) {
  const written: string[] = [];
  const results = await check(service.url, {
    models,
    rules: ['absent'],
    connection: { write: true },
    wrap: (target) => ({
      ...before(({ method, path }) => method !== 'GET' && path.startsWith(TASK) && written.push(path))(
        target,
      ),
      relay: () => 'its responses come through a proxy (via: 1.1 edge.example)',
    }),
  });
  return { results, written };
}

const outcomes = ({ cases }: Awaited<ReturnType<typeof check>>) =>
  Object.fromEntries(
    cases
      .filter(({ rule }) => ['absent.put', 'absent.patch', 'absent.operation'].includes(rule))
      .map(({ id, outcome }) => [id.replace(/^absent\.|:subscriptionTask/g, ''), outcome]),
  );

test.each([
  ['405', 'pass'],
  ['404', 'skip'],
])(
  'behind a proxy, the suite writes to no existing record, and a %s leads to the outcome %s',
  async (status, outcome) => {
    const service = await start({}, `noOperation=${status}`);
    const before = service.live();
    const { results, written } = await checkForwarded(service);
    expect(written).toHaveLength(4);
    expect(written.filter((line) => !line.includes('/2147483647'))).toEqual([]);
    expect(service.live()).toEqual(before);
    expect(complaints(results)).toEqual([]);
    expect(outcomes(results)).toEqual({
      put: outcome,
      patch: outcome,
      'operation=create': 'pass',
      'operation=update': outcome,
      'operation=delete': outcome,
    });
  },
);

test('behind a proxy, an absent operation that is accepted fails, and no record is lost', async () => {
  const service = await start({
    ...OPENED,
    unknown: ({ model, on }) =>
      model.name === 'subscriptionTask' && on !== 'retrieve' ? 'answer' : undefined,
  });
  const before = service.live();
  const { results, written } = await checkForwarded(service);
  expect(written.filter((line) => !line.includes('/2147483647'))).toEqual([]);
  expect(service.live()).toEqual(before);
  expect(idsAgainst(results)).toEqual(
    expect.arrayContaining([
      'absent.put:subscriptionTask',
      'absent.patch:subscriptionTask',
      'absent.operation:subscriptionTask=update',
    ]),
  );
});

test('on a local service, an absent delete that works fails once, and names the deleted record', async () => {
  const service = await start(OPENED);
  const tasks = () => service.live().filter((name) => name.startsWith('subscriptionTask/'));
  const before = tasks();
  const results = await check(service.url, { models, rules: ['absent.operation'] });
  const left = tasks();
  expect(left).toHaveLength(before.length - 1);
  const lost = before.find((name) => !left.includes(name));
  const deletion = results.cases.find(({ id }) => id.endsWith('=delete'));
  expect(deletion).toMatchObject({ outcome: 'fail', harm: `${lost} deleted` });
  expect(deletion?.message).toBe(`${lost} was deleted by delete, which subscriptionTask does not have`);
});

test('on a local service, a rejected delete that still deletes the last record fails', async () => {
  const service = await start(OPENED);
  const tasks = () => service.live().filter((name) => name.startsWith('subscriptionTask/'));
  for (const name of tasks().slice(1)) await fetch(`${service.url}${BASE}/${name}`, { method: 'DELETE' });
  expect(tasks()).toHaveLength(1);
  const results = await check(service.url, {
    models,
    rules: ['absent.operation'],
    wrap: changing((_, { method }) => (method === 'DELETE' ? { status: 405 } : {})),
  });
  expect(tasks()).toEqual([]);
  expect(results.cases.find(({ id }) => id.endsWith('=delete'))).toMatchObject({ outcome: 'fail' });
});

test('a record that repeats on pages without an order does not fail the service', async () => {
  let turn = 0;
  const rotate: Defect['listed'] = (rows) => {
    const at = rows.length > 0 ? turn++ % rows.length : 0;
    return [...rows.slice(at), ...rows.slice(0, at)];
  };
  const { url } = await start({ listed: rotate }, 'sort=field', 'total=none');
  const settings = { 'list.paging': { style: 'offset', max: 2 }, 'response.total': 'none' };
  const results = await check(url, { models, settings, rules: ['absent.operation'] });
  expect(complaints(results)).toEqual([]);
  const created = results.cases.find(({ operation }) => operation === 'create');
  expect(created).toMatchObject({ outcome: 'skip', unjudged: true });
});
