import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createMock } from '../../mock/mock.ts';
import { modelIn } from '../../testing/partial-service.ts';
import type { Asked, Meddle, Reply } from '../../testing/proxies/recording-proxy.ts';
import { startHostile } from '../../testing/services/hostile/hostile.ts';
import type { ShapeName } from '../../testing/services/hostile/shapes.ts';
import { startPlain } from '../../testing/services/plain/plain.ts';
import { useCommand } from '../../testing/use-command.ts';

const { begin, closing, directory, read, run, startRecordingProxy, startService } = useCommand();
const capture = (url: string, ...flags: string[]) =>
  run('capture', url, '-o', 'f.yaml', '--profile', 'default.yaml', ...flags);

/** Starts a mock with these records, and a proxy that answers some requests in its place. */
const serve = async (fixtures: object, meddle?: Meddle) =>
  (await startService({ fixtures: { ...fixtures } }, meddle)).url;

const answerOf = (replies: Record<string, Reply | Error>) => (asked: Asked) => replies[modelIn(asked)];
const BRANDS = { brand: [{ id: 1, name: 'a' }] };

test('a model that can not be read is skipped and named if the service does not have it', async () => {
  const url = await serve(BRANDS, answerOf({ voucher: { status: 404 }, customer: { status: 501 } }));
  const { code, stderr } = await capture(url);
  expect(code).toBe(0);
  expect(stderr).toContain(
    "Skipped, because the service doesn't have them: customer (status 501), voucher (status 404)\n",
  );
  expect(read('f.yaml')).toMatch(/^brand:\n {2}- \{"id":1,/);
});

test.each<[string, Reply | Error]>([
  ['status 500', { status: 500 }],
  ['the response is not a list of records', { status: 200, body: [1, 2] }],
  ['the connection was closed before the response was complete', new Error('broken')],
])('a model that can not be read is named, and the run is inconclusive: %s', async (why, reply) => {
  const { code, stderr } = await capture(await serve(BRANDS, answerOf({ voucher: reply })));
  expect({ code, stderr }).toMatchObject({
    code: 4,
    stderr: expect.stringContaining(`Warning: voucher is incomplete: `),
  });
  expect(stderr).toContain(why);
  expect(existsSync(directory.path('f.yaml'))).toBe(true);
});

test('a model that can not be read leaves no file if there is no other', async () => {
  const url = await serve(BRANDS, () => ({ status: 401 }));
  expect(await capture(url, '--models', 'brand')).toMatchObject({ code: 3 });
  expect(await capture(await serve({}))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has no records in these models. No file was written.'),
  });
  expect(existsSync(directory.path('f.yaml'))).toBe(false);
});

test('a record with a link to a missing record is named', async () => {
  const { code, stderr } = await capture(
    await serve({ stock: [], customerToTag: [{ id: 1, customer: 7, tag: 2 }] }),
  );
  expect(code).toBe(0);
  expect(stderr).toContain(
    'Warning: customerToTag 1: customer must be the ID of a customer record, but there is no customer 7.\n',
  );
  expect(stderr).not.toContain('--references check');
});

test('a record without a valid ID or value is left out, or loses the value', async () => {
  const record = JSON.parse(
    '{"id":3,"name":"a","created":"yesterday","deleted":5,"__proto__":{"x":1},"more":{}}',
  );
  const body = [{ name: 'no ID' }, { id: -1, name: 'b' }, { id: 2 ** 60, name: 'c' }, { id: '7' }, record];
  const { code, stderr } = await capture(await serve({}, answerOf({ brand: { status: 200, body } })));
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
])('hostile responses (%s) end, and leave a whole file or none', async (shape) => {
  const service = closing(await startHostile(await startPlain(), { after: 1, shapes: [shape] }));
  const { code, stderr } = await capture(service.url, '--models', 'brand,warehouse', '--timeout', '1000');
  expect([0, 1, 3, 4]).toContain(code);
  expect(stderr).not.toContain('Internal error');
  if (existsSync(directory.path('f.yaml')))
    closing(await createMock({ fixtures: directory.path('f.yaml'), lenient: true }));
  else expect(code).toBeGreaterThan(0);
});

test('Ctrl+C and a lost service leave no file', async () => {
  const waiting = Promise.withResolvers<void>();
  const slow = await serve(BRANDS, (asked) => {
    if (modelIn(asked) === 'voucher') waiting.resolve();
    return undefined;
  });
  const hanging = await startRecordingProxy(slow, ({ path }) =>
    /voucher/.test(path) ? { status: 503, headers: { 'retry-after': '20' } } : undefined,
  );
  const { ended, interrupt, said } = begin(
    'capture',
    hanging.url,
    '-o',
    'f.yaml',
    '--profile',
    'default.yaml',
  );
  await said(/Waiting/);
  interrupt();
  expect(await ended).toMatchObject({ code: 130 });
  expect(await capture('http://127.0.0.1:1')).toMatchObject({ code: 3 });
  expect(existsSync(directory.path('f.yaml'))).toBe(false);
});
