import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadContract } from '../spec/contract.ts';
import { check } from '../testing/checks.ts';
import { startMockService } from '../testing/mock-service.ts';
import { before } from '../testing/proxies/wrap.ts';
import { createAt } from '../testing/services/service.ts';
import { useCommand } from '../testing/use-command.ts';
import { useForeignService } from '../testing/use-foreign-service.ts';

const { closing, directory, readResults, run } = useCommand();

const COMMON =
  'title: Order API\nversion: "3"\nbase: /api/model\ncommon: { id: int ro, made: datetime ro }\n';
const ORDERS = `area: Orders
about: Orders, their lines, and the parts of a line.
models:
  order:
    name: string req
    note: string
    lines: OrderLine[] req
  orderLine:
    order: int req ro
    name: string req
    parts: LinePart[]
  linePart:
    orderLine: int req ro
    label: string req
    units: float
operations:
  orderLine: []
  linePart: []
`;
const LINKS = `inside:
  orderLine.order: { to: order, why: the parent }
  linePart.orderLine: { to: orderLine, why: the parent }
`;

/** Checks a service with lines inside lines, without operations and without the field deleted. */
async function checkOrders(settings: object, change: (body: string) => string = (body) => body) {
  const catalogue = directory.path('catalogue');
  mkdirSync(catalogue);
  directory.write('catalogue/common.yaml', COMMON);
  directory.write('catalogue/orders.yaml', ORDERS);
  directory.write('references.yaml', LINKS);
  const contract = loadContract({ catalogue });
  const service = await startMockService(
    { contract, settings: { ...settings } },
    (answer) => (request, body) => answer(request, change(body)),
  );
  return run('check', closing(service).url, '--catalogue', catalogue, '--json', 'r.json');
}

test('a service with nested lines conforms, and line models without operations have no cases', async () => {
  const { code, stderr, stdout } = await checkOrders({ 'delete.effect': 'remove' });
  expect({ code, stderr, stdout }).toMatchObject({ code: 0 });
  const { cases, coverage } = readResults('r.json');
  expect(new Set(cases.map(({ model }) => model))).toEqual(new Set(['order']));
  expect([...coverage.operations, ...coverage.fields].filter(({ exercised }) => !exercised)).toEqual([]);
  // Without a field for the mark, no response shows whether a delete removes or marks a record.
  expect(stderr).not.toContain('delete.effect');
});

test('a lost field of a nested line fails', async () => {
  const { code } = await checkOrders({}, (body) => body.replaceAll(/"units":[\d.]+/g, '"units":1'));
  expect(code).toBe(1);
  const failed = readResults('r.json').cases.filter(({ outcome }) => outcome === 'fail');
  expect(failed.map(({ id }) => id)).toContain('create.keeps-field:order.lines');
});

// stockInvoiceLine.stockInvoice is required and readonly. If a client creates a line by itself, the service chooses it.
const { start } = useForeignService();

test.each([
  ['share a draft', 'empty', 1],
  ['get a parent', 'with records', 0],
])(
  'a parent that the service creates for a line is deleted with it, or listed as left: %s, begins %s',
  async (loneLines, begins, most) => {
    const service = await start({}, `loneLines=${loneLines}`, `begins=${begins}`);
    const before = new Set(service.live());
    const { leftovers } = await check(service.url, { models: ['stockInvoiceLine'], rules: ['create'] });
    const left = service.live().filter((id) => !before.has(id));
    expect(leftovers).toEqual(left);
    expect(left).toHaveLength(most);
  },
);

const draft = { lines: [], discountTotal: 0, currency: 'EUR', taxTotal: 0 };

test("another client's draft that the service uses for a line is kept and reported", async () => {
  const service = await start({}, 'loneLines=share a draft', 'begins=empty');
  let isMade = false;
  const { leftovers } = await check(service.url, {
    models: ['stockInvoiceLine'],
    rules: ['operations.delete'],
    wrap: before(async ({ method, path }) => {
      if (method !== 'POST' || !path.endsWith('/stockInvoiceLine') || isMade) return;
      isMade = true;
      await createAt(service.url, 'stockInvoice', draft);
    }),
  });
  const [theirs, ...more] = service.live();
  expect([theirs, more, leftovers]).toEqual([expect.stringMatching(/^stockInvoice\/\d+$/), [], [theirs]]);
});

test("other clients' drafts are kept if the service adds lines to the newest one", async () => {
  const service = await start({}, 'loneLines=join the newest');
  const theirs: string[] = [];
  let lines = 0;
  const { leftovers } = await check(service.url, {
    models: ['stockInvoice', 'stockInvoiceLine'],
    rules: ['operations'],
    wrap: before(async ({ method, path }) => {
      // Each of the first two lines goes into a new draft, and each later one into an invoice of the run, or a draft.
      if (method === 'POST' && path.endsWith('/stockInvoiceLine') && ++lines < 3)
        theirs.push(`stockInvoice/${(await createAt(service.url, 'stockInvoice', draft)).id}`);
    }),
  });
  expect(theirs).toHaveLength(2);
  expect(service.live()).toEqual(expect.arrayContaining(theirs));
  expect(leftovers).toEqual(expect.arrayContaining(theirs));
});
