import { existsSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createMock, type MockOptions } from '../../mock/mock.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import { demo } from '../../testing/demo.ts';
import { catalogue } from '../../testing/mocks/mocks.ts';
import { modelIn } from '../../testing/partial-service.ts';
import type { Asked, Meddle, Reply } from '../../testing/proxies/recording-proxy.ts';
import { startHostile } from '../../testing/services/hostile/hostile.ts';
import type { ShapeName } from '../../testing/services/hostile/shapes.ts';
import { startPlain } from '../../testing/services/plain/plain.ts';
import { FOREIGN_SERVICES } from '../../testing/services/services.ts';
import { endWith, useCommand, WITH_DEFAULTS } from '../../testing/use-command.ts';

const { begin, closing, directory, read, run, startService } = useCommand();
const capture = (url: string, ...flags: string[]) => run('capture', url, '-o', 'f.yaml', ...flags);

async function serve(options: MockOptions = {}) {
  const mock = closing(await createMock({ fixtures: demo, ...options }));
  return { mock, url: (await mock.listen()).url };
}

/** Loads the captured file into a mock that rejects links to missing records. */
async function load(options: MockOptions = {}) {
  return closing(await createMock({ fixtures: directory.path('f.yaml'), checkLinks: true, ...options }));
}

const TEXTS = ['string', 'text', 'markdown', 'email', 'url', 'image'];

/** Whether a field has strings that `capture` replaces. */
const isText = ({ choices, type }: Field) => TEXTS.includes(type) || (type === 'select' && !choices);

/** Returns the records without the values of the fields whose strings are replaced. */
function withoutTexts(state: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>) {
  return Object.entries(state).map(([name, records]) => {
    const kept = catalogue.models.get(name)?.fields.filter((field) => !isText(field)) ?? [];
    return [name, records.map((record) => kept.map((field) => record[field.name]))];
  });
}

describe('capture of a mock with the demo records', () => {
  test('writes a private file with all records, numbers, dates, and links', async () => {
    const { mock, url } = await serve();
    const { code, stderr, stdout } = await capture(url, '--limit', '0', ...WITH_DEFAULTS);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(
      /Wrote \d+ records of 53 models of http:\S+ to f\.yaml\nAll strings are replaced\./,
    );
    expect(stderr).toMatch(
      /To load it: record-model mock --fixtures f\.yaml --profile default\.yaml --references check\n$/,
    );
    expect(statSync(directory.path('f.yaml')).mode & 0o777).toBe(0o600);
    const loaded = await load();
    const live = await Promise.all(
      [...catalogue.models.keys()].map(
        async (name) => [name, (await mock.records(name).list()).records] as const,
      ),
    );
    expect(loaded.warnings).toEqual([]);
    expect(withoutTexts(await loaded.state())).toEqual(
      withoutTexts(await mock.state()).map(([name, records]) => {
        const ids = live.find(([model]) => model === name)?.[1].map(({ id }) => id) ?? [];
        return [name, (records as unknown[][]).filter(([id]) => ids.includes(Number(id)))];
      }),
    );
    const methods = new Set((await mock.requests()).map(({ method }) => method));
    expect([...methods]).toEqual(['GET']);
  });

  test('replaces each string of the service, in each field of each model, and keeps other values', async () => {
    const fixtures = Object.fromEntries(
      [...catalogue.models.values()].map((model) => [model.name, [personIn(model)]]),
    );
    const { mock, url } = await serve({ fixtures });
    const texts = [...catalogue.models.values()].flatMap(({ fields }) => fields.filter(isText));
    expect(JSON.stringify(await mock.state()).match(/600111222/g)).toHaveLength(texts.length);
    const { code, stderr } = await capture(url, '--limit', '0', ...WITH_DEFAULTS);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('invalid value') });
    expect(read('f.yaml')).not.toMatch(/juan|p[eé]rez|6001|club\.es/i);
    const state = await (await load({ checkLinks: false })).state();
    expect(Object.keys(state)).toHaveLength(53);
    expect(withoutTexts(state)).toEqual(withoutTexts(await mock.state()));
  });

  test('replaces equal strings with the same string, or keeps all strings with --keep-strings', async () => {
    const { mock, url } = await serve();
    await capture(url, ...WITH_DEFAULTS);
    const first = read('f.yaml');
    const { customer = [], voucherTransaction = [] } = await (await load()).state();
    const names = new Set(customer.map(({ name }) => name));
    for (const { customerName } of voucherTransaction) expect(names).toContain(customerName);
    await capture(url, ...WITH_DEFAULTS);
    expect(read('f.yaml')).toBe(first);
    const { stderr } = await capture(url, '--keep-strings', ...WITH_DEFAULTS);
    expect(stderr).toContain('Warning: all texts are as in the service');
    expect(await (await load()).records('brand').list()).toEqual(await mock.records('brand').list());
  });

  test('generates no replacement that is also a string of the service', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `name ${index + 1}`);
    const { url } = await serve({
      fixtures: { brand: names.map((name, index) => ({ id: index + 1, name })) },
    });
    await capture(url, '--limit', '0', ...WITH_DEFAULTS);
    const { brand = [] } = await (await load()).state();
    expect(brand.filter(({ name }) => names.includes(String(name)))).toEqual([]);
    expect(new Set(brand.map(({ name }) => name)).size).toBe(300);
  });

  test('reads selected records together with all records they link to, directly or indirectly', async () => {
    const customer = Array.from({ length: 30 }, (_, index) => ({
      id: index + 1,
      name: `n${index}`,
      firstName: `f${index}`,
      invoiceTo: Math.min(30, index + 2),
    }));
    const { url } = await serve({ fixtures: { customer, brand: [{ id: 1, name: 'a' }] }, lenient: true });
    const some = ['--models', 'customer', '--limit', '1', ...WITH_DEFAULTS];
    expect(await capture(url, ...some)).toMatchObject({ code: 0 });
    expect(read('f.yaml').match(/"invoiceTo"/g)).toHaveLength(30);
    expect(read('f.yaml')).not.toContain('brand');
  });

  test.each<[Record<string, unknown>, ...string[]]>([
    [
      {
        'list.paging': { style: 'page', default: 5, max: 10 },
        'types.bool': 'int',
        'response.records': '/data',
      },
    ],
    [{ auth: 'bearer', 'response.unset': 'absent', 'types.lines': 'ids' }, '--bearer', 'demo-token'],
  ])('follows the profile %j', async (profile, ...flags) => {
    const { mock, url } = await serve({ profile });
    directory.write('p.yaml', JSON.stringify(profile));
    const all = ['--limit', '0', '--keep-strings', '--profile', 'p.yaml'];
    const { code, stderr } = await capture(url, ...all, ...flags);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('invalid value') });
    const loaded = await load({ profile });
    for (const model of ['customer', 'stockOrder', 'stockOrderLine', 'voucherTransaction'])
      expect([model, (await loaded.records(model).list()).records]).toEqual([
        model,
        (await mock.records(model).list()).records,
      ]);
  });

  test('learns the profile if none is given, and writes to standard output', async () => {
    const { mock, url } = await serve({ profile: { 'response.records': '/data', 'types.bool': 'int' } });
    const { code, stdout } = await run('capture', url, '--area', 'Customers', '--keep-strings');
    expect(code).toBe(0);
    const customers = (await mock.records('customer').list()).records;
    expect(stdout.match(/^ {2}- .*"firstName"/gm)).toHaveLength(customers.length);
    expect((await mock.requests()).every(({ method }) => method === 'GET')).toBe(true);
  });
});

/** Returns a record with a person in each string, and a value in each other field. */
function personIn(model: Model): Record<string, unknown> {
  const fields = model.fields.filter(({ lines }) => lines === undefined);
  const values = fields.map((field): [string, unknown] => {
    const { key, name, type } = field;
    if (type === 'email') return [name, `juan.perez-600111222-${key}@club.es`];
    if (type === 'url' || type === 'image') return [name, `https://club.es/juan-perez/600111222/${key}`];
    if (isText(field)) return [name, `Juan Pérez 600111222 ${key}`];
    return [name, WIRE_TYPES[type].sample(1, { field, profile: DEFAULT_PROFILE })];
  });
  const isMarked = fields.some(({ name }) => name === 'deleted');
  return { ...Object.fromEntries(values), id: 1, ...(isMarked && { deleted: false }) };
}

test.each(FOREIGN_SERVICES.map(({ args = [], name, start }) => ({ name, start, args })))(
  'a capture of $name can be loaded',
  async ({ args, start }) => {
    const service = closing(await start());
    const { code, stderr } = await capture(service.url, '--limit', '0', ...args);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const flags = /record-model mock (.*)$/m.exec(stderr)?.[1] ?? '';
    const loaded = await load({ lenient: flags.includes('--lenient'), checkLinks: flags.includes('check') });
    const state = await loaded.state();
    const captured = Object.entries(state).flatMap(([model, records]) =>
      records.map(({ id }) => `${model}/${id}`),
    );
    expect(service.live().filter((one) => !captured.includes(one))).toEqual([]);
  },
);

const captureByDefault = (url: string, ...flags: string[]) => capture(url, ...WITH_DEFAULTS, ...flags);

/** Starts a mock with these records, and a proxy that answers some requests in its place. */
const startBehind = async (fixtures: object, meddle?: Meddle) =>
  (await startService({ fixtures: { ...fixtures } }, meddle)).url;

const answerOf = (replies: Record<string, Reply | Error>) => (asked: Asked) => replies[modelIn(asked)];
const BRANDS = { brand: [{ id: 1, name: 'a' }] };

const isPartial = 'Warning: voucher is incomplete: ';

test.each<[Record<string, Reply | Error>, number, ...string[]]>([
  [
    { voucher: { status: 404 }, customer: { status: 501 } },
    0,
    "Skipped, because the service doesn't have them: customer (status 501), voucher (status 404)\n",
  ],
  [{ voucher: { status: 500 } }, 4, isPartial, 'status 500'],
  [{ voucher: { status: 200, body: [1, 2] } }, 4, isPartial, 'the response is not a list of records'],
  [{ voucher: new Error('broken') }, 4, isPartial, 'the connection was closed before the response'],
])("reports models that can't be read (%j), and exits with %i", async (replies, code, ...lines) => {
  const ended = await captureByDefault(await startBehind(BRANDS, answerOf(replies)));
  expect(ended.code).toBe(code);
  for (const line of lines) expect(ended.stderr).toContain(line);
  expect(read('f.yaml')).toMatch(/^brand:\n {2}- \{"id":1,/);
});

test('writes no file if no model can be read', async () => {
  const url = await startBehind(BRANDS, () => ({ status: 401 }));
  expect(await captureByDefault(url, '--models', 'brand')).toMatchObject({ code: 3 });
  expect(await captureByDefault(await startBehind({}))).toMatchObject(
    endWith(1, 'has no records in these models. No file was written.'),
  );
  expect(existsSync(directory.path('f.yaml'))).toBe(false);
});

test('reports a record with a link to a missing record', async () => {
  const { code, stderr } = await captureByDefault(
    await startBehind({ stock: [], customerToTag: [{ id: 1, customer: 7, tag: 2 }] }),
  );
  expect(code).toBe(0);
  expect(stderr).toContain(
    'Warning: customerToTag 1: customer must be the ID of a customer record, but there is no customer 7.\n',
  );
  expect(stderr).not.toContain('--references check');
});

test('omits records without a valid ID, and invalid values', async () => {
  const record = JSON.parse(
    '{"id":3,"name":"a","created":"yesterday","deleted":5,"__proto__":{"x":1},"more":{}}',
  );
  const body = [{ name: 'no ID' }, { id: -1, name: 'b' }, { id: 2 ** 60, name: 'c' }, { id: '7' }, record];
  const { code, stderr } = await captureByDefault(
    await startBehind({}, answerOf({ brand: { status: 200, body } })),
  );
  expect(code).toBe(0);
  expect(stderr).toContain('Warning: 3 invalid values of brand.id left out\n');
  for (const field of ['created', 'deleted'])
    expect(stderr).toContain(`Warning: 1 invalid value of brand.${field} left out\n`);
  expect(stderr).toContain('--fixtures f.yaml --profile default.yaml --lenient --references check\n');
  expect(read('f.yaml')).toMatch(/^brand:\n {2}- \{"id":3,"name":"name 1"\}\n {2}- \{"id":7\}\n$/);
});

test.each<ShapeName>([
  'many-rows',
  'deep-objects',
  'proto-rows',
  'bomb',
  'endless-body',
  'redirect-to-itself',
])('ends after a hostile response (%s), with a complete file or none', async (shape) => {
  const service = closing(await startHostile(await startPlain(), { after: 1, shapes: [shape] }));
  const { code, stderr } = await captureByDefault(
    service.url,
    '--models',
    'brand,warehouse',
    '--timeout',
    '1000',
  );
  expect([0, 1, 3, 4]).toContain(code);
  expect(stderr).not.toContain('Internal error');
  if (existsSync(directory.path('f.yaml')))
    closing(await createMock({ fixtures: directory.path('f.yaml'), lenient: true }));
  else expect(code).toBeGreaterThan(0);
});

test('writes no file after Ctrl+C or if the service is lost', async () => {
  const busy = { status: 503, headers: { 'retry-after': '20' } };
  const hanging = await startBehind(BRANDS, answerOf({ voucher: busy }));
  const args = ['capture', hanging, '-o', 'f.yaml', ...WITH_DEFAULTS];
  const { ended, interrupt, said } = begin(...args);
  await said(/Waiting/);
  interrupt();
  expect(await ended).toMatchObject({ code: 130 });
  expect(await captureByDefault('http://127.0.0.1:1')).toMatchObject({ code: 3 });
  expect(existsSync(directory.path('f.yaml'))).toBe(false);
});
