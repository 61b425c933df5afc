import { expect, test } from 'vitest';
import { against, catalogue, check } from '../testing/checks.ts';
import { useService } from '../testing/mock-service.ts';
import { modelIn, onlyBuilt } from '../testing/partial-service.ts';
import type { Asked } from '../testing/proxies/recording-proxy.ts';
import { useTarget } from '../testing/proxies/use-target.ts';
import { exitCode, headline, remarksOn } from './results/results.ts';

const { start } = useService();
const BUILT = ['brand', 'customerTag', 'warehouse'];
/** A baseline that lists the models that are not built. */
const without = (...built: string[]) =>
  [...catalogue.models.keys()].filter((name) => !built.includes(name)).map((name) => ({ notBuilt: name }));
/** As Django responds to a path without a route. */
const NO_ROUTE = {
  status: 404,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '\n<!doctype html>\n<html lang="en">\n<head>\n  <title>Not Found</title>\n</head>\n<body>\n  <h1>Not Found</h1><p>The requested resource was not found on this server.</p>\n</body>\n</html>\n',
};
const isCreate = ({ method, path }: Asked) => method === 'POST' && !/\/\d+/.test(path);

test('models that are not built are reported, not judged, and fail the run without a baseline', async () => {
  const { asked, url } = await start(onlyBuilt(BUILT, NO_ROUTE));
  const results = await check(url);
  expect(results.notBuilt).toHaveLength(50);
  expect(new Set(results.cases.map(({ model }) => model))).toEqual(new Set(BUILT));
  expect(against(results)).toEqual([]);
  expect([headline(results), exitCode(results)]).toEqual(['3 MODELS CONFORMANT, 50 not built', 1]);
  expect(remarksOn(results)).toEqual([
    '50 models are not built. To accept this, write a baseline with --write-baseline FILE, and pass it with --baseline FILE.',
  ]);
  const perModel = Map.groupBy(asked.map(modelIn), (name) => name);
  for (const name of results.notBuilt ?? []) expect(perModel.get(name)?.length).toBeLessThanOrEqual(7);
});

test('a baseline accepts models that are not built, and does not affect coverage of other models', async () => {
  const { url } = await start(onlyBuilt(BUILT));
  const known = { case: 'absent.put:share', reason: 'we know', until: '2999-01-01' };
  const results = await check(url, { baseline: [known, ...without(...BUILT)], minCoverage: 100 });
  expect(results.coverage.operations).toHaveLength(15);
  expect([headline(results), exitCode(results)]).toEqual(['3 MODELS CONFORMANT, 50 not built', 0]);
  expect([remarksOn(results), results.staleBaseline]).toEqual([[], []]);
});

test('a run in which no selected model is built never passes', async () => {
  const { url } = await start(onlyBuilt(BUILT));
  const results = await check(url, { models: ['share'], baseline: without(...BUILT) });
  expect([headline(results), exitCode(results)]).toEqual(['0 MODELS CONFORMANT, 1 not built', 1]);
  expect(remarksOn(results)).toEqual(['None of the selected models is built, so nothing was judged.']);
});

test.each([
  ['500 to a create', isCreate, { status: 500 }],
  ['401 to a list', ({ method, path }: Asked) => method === 'GET' && !/\/\d+/.test(path), { status: 401 }],
])('a model counts as built if it returns %s, and 404 to all other requests', async (_, isOne, answer) => {
  const { url } = await start((asked) => {
    if (modelIn(asked) !== 'share') return undefined;
    return isOne(asked) ? answer : { status: 404 };
  });
  const results = await check(url, { models: ['brand', 'share'], rules: ['operations'] });
  expect(results.notBuilt).toBeUndefined();
  expect(against(results).map(({ model }) => model)).toContain('share');
});

test('a model counts as built if a create accepts an empty record, which the suite deletes', async () => {
  let gone = 0;
  const { url } = await start((asked) => {
    if (modelIn(asked) !== 'brand') return undefined;
    if (asked.path.endsWith('/4711')) {
      gone += Number(asked.method === 'DELETE');
      return { status: 200, body: { id: 4711 } };
    }
    return isCreate(asked) && asked.body === '{}' ? { status: 201, body: { id: 4711 } } : { status: 404 };
  });
  const results = await check(url, { models: ['brand', 'share'], rules: ['operations'] });
  expect(gone).toBe(1);
  expect(results.notBuilt).toBeUndefined();
  expect(results.leftovers).not.toContain('brand/4711');
});

test('a read-only run detects with GET requests which models are not built', async () => {
  const { asked, url } = await start(onlyBuilt(BUILT));
  const results = await check(url, { readOnly: true, baseline: without(...BUILT) });
  expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(results.notBuilt).toHaveLength(50);
  expect(headline(results)).toMatch(/^READS OF 3 MODELS CONFORMANT \(.* seen\), 50 not built/);
  expect(exitCode(results)).toBe(0);
});

// A deposit requires a customer.
const noCustomer = { status: 422, body: { message: 'unknown customer' } };
const rejects = (asked: Asked, known: readonly number[]) => {
  const [, customer] = /"customer":(\d+)/.exec(asked.body) ?? [];
  return modelIn(asked) === 'deposit' && customer !== undefined && !known.includes(Number(customer));
};

test('if the service rejects a link to a missing model, cases are skipped and name --bindings', async () => {
  const partial = onlyBuilt(['brand', 'deposit']);
  const { asked, url } = await start((one) => (rejects(one, []) ? noCustomer : partial(one)));
  const results = await check(url, { models: ['brand', 'deposit'], baseline: without('brand', 'deposit') });
  expect(against(results)).toEqual([]);
  expect(exitCode(results)).toBe(0);
  const create = results.cases.find(({ id }) => id === 'operations.create:deposit');
  expect(create).toMatchObject({ outcome: 'skip', unjudged: true });
  expect(create?.message).toMatch(/--bindings; deposit\.customer links to customer, which is not built$/);
  expect(headline(results)).toContain('operations.create:deposit');
  expect(asked.filter((one) => modelIn(one) === 'customer' && isCreate(one))).toHaveLength(1);
});

const { listen } = useTarget();

test.each<[string, string, string]>([
  ['HTML', 'text/html', '<!doctype html><title>Welcome</title>'],
  ['a number', 'application/json', '7'],
])(
  'a target that responds to everything with %s passes no operation, and no case crashes',
  async (_, type, body) => {
    const url = await listen((__, response) => response.writeHead(200, { 'content-type': type }).end(body));
    const results = await check(url, { models: ['brand', 'subscriptionTask'] });
    expect([exitCode(results), results.counts.error]).toEqual([1, 0]);
    const failed = against(results).filter(({ level, outcome }) => level === 'stated' && outcome === 'fail');
    expect(failed.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['operations.create:brand', 'operations.list:brand']),
    );
    const kept = results.cases.filter(({ outcome }) => outcome === 'pass').map(({ rule }) => rule);
    expect(kept.filter((rule) => /^operations\.(list|retrieve|create|update|delete)$/.test(rule))).toEqual(
      [],
    );
  },
);
