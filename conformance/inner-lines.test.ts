import { mkdirSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { loadContract } from '../spec/contract.ts';
import { type MockService, startMockService } from '../testing/mock-service.ts';
import { useCommand } from '../testing/use-command.ts';

const { directory, readResults, run } = useCommand();
const open: MockService[] = [];

afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});

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

/** Writes a catalogue with lines inside lines, without operations and without the field deleted. */
function writeCatalogue(): string {
  mkdirSync(directory.path('catalogue'));
  directory.write('catalogue/common.yaml', COMMON);
  directory.write('catalogue/orders.yaml', ORDERS);
  directory.write('references.yaml', LINKS);
  return directory.path('catalogue');
}

test('a service with lines inside lines conforms, and line models without operations have no cases', async () => {
  const catalogue = writeCatalogue();
  const contract = loadContract({ catalogue });
  const service = await startMockService({ contract, settings: { 'delete.effect': 'remove' } });
  open.push(service);
  const { code, stderr, stdout } = await run(
    'check',
    service.url,
    '--catalogue',
    catalogue,
    '--json',
    'r.json',
  );
  expect({ code, stderr, stdout }).toMatchObject({ code: 0 });
  const { cases, coverage } = readResults('r.json');
  expect(new Set(cases.map(({ model }) => model))).toEqual(new Set(['order']));
  expect([...coverage.operations, ...coverage.fields].filter(({ exercised }) => !exercised)).toEqual([]);
  // Without a field for the mark, no response shows whether a delete removes or marks a record.
  expect(stderr).not.toContain('delete.effect');
});

test('a lost field of an inner line fails', async () => {
  const catalogue = writeCatalogue();
  const contract = loadContract({ catalogue });
  const service = await startMockService({ contract }, (answer) => (request, body) => {
    const changed = body.replaceAll(/"units":[\d.]+/g, '"units":1');
    return answer(request, changed);
  });
  open.push(service);
  const { code } = await run('check', service.url, '--catalogue', catalogue, '--json', 'r.json');
  expect(code).toBe(1);
  const failed = readResults('r.json').cases.filter(({ outcome }) => outcome === 'fail');
  expect(failed.map(({ id }) => id)).toContain('create.keeps-field:order.lines');
});
