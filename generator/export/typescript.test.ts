import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createMock } from '../../mock/mock.ts';
import { loadContract } from '../../spec/contract.ts';
import { demo } from '../../testing/demo.ts';
import { coverProfiles } from '../../testing/profile/profile-cover.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { exportContract } from './export.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const directory = useDirectory();
const contract = loadContract();

/** Returns the errors of a strict compiler for files in the directory; empty if there are none. */
async function compile(...files: string[]): Promise<string> {
  const flags = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--noEmit'];
  const module = ['--module', 'nodenext', '--target', 'es2024', '--allowImportingTsExtensions'];
  const typescript = join(ROOT, 'node_modules/typescript/bin/tsc');
  const ended = run(process.execPath, [typescript, ...flags, ...module, ...files], { cwd: directory.path() });
  return ended.then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  );
}

const CLIENT = `
import createClient from 'openapi-fetch';
import type { StockOrder, StockOrderStatus, paths } from './api.d.ts';

export async function life(baseUrl: string): Promise<object> {
  const client = createClient<paths>({ baseUrl });
  const line = { product: 1, grossUnitCost: 10, amount: 2, discount: 0 };
  const sent: StockOrderStatus = 0;
  const made = await client.POST('/api/model/stockOrder', {
    body: { status: sent, globalDiscount: 5, lines: [line] },
  });
  if (!made.data) throw new Error(made.error.title);
  const path = { id: made.data.id };
  const read = await client.GET('/api/model/stockOrder/{id}', { params: { path } });
  if (!read.data) throw new Error(read.error.title);
  const r: StockOrder = read.data;
  if (r.created === null) throw new Error('never created');
  const created = new Date(r.created).toISOString();
  const whole = await client.POST('/api/model/stockOrder/{id}', {
    params: { path: { id: r.id } },
    body: r,
  });
  const list = await client.GET('/api/model/stockOrder', { params: { query: { sort: '-id', limit: 1 } } });
  const gone = await client.DELETE('/api/model/stockOrder/{id}', { params: { path } });
  const units = (r.lines ?? []).reduce((sum, { amount }) => sum + amount, 0);
  return { created, units, whole: whole.data?.id, newest: list.data?.[0]?.id, deleted: gone.data?.deleted };
}
`;

describe('the types of the contract', { timeout: 60_000 }, () => {
  it('carry a client program through a strict compiler, and through the mock', async () => {
    symlinkSync(join(ROOT, 'node_modules'), directory.path('node_modules'));
    directory.write('package.json', '{"type":"module"}');
    directory.write('api.d.ts', await exportContract('types', contract));
    expect(await compile(directory.write('client.ts', CLIENT))).toBe('');

    const clock = () => new Date('2025-10-22T09:30:00Z');
    await using mock = await createMock({ ...contract, fixtures: demo, clock });
    const { url } = await mock.listen();
    const { life } = await import(directory.path('client.ts'));
    const id = expect.any(Number);
    expect(await life(url)).toEqual({
      created: '2025-10-22T09:30:00.000Z',
      units: 2,
      deleted: true,
      whole: id,
      newest: id,
    });
  });

  it('refuse what the contract does not have', async () => {
    symlinkSync(join(ROOT, 'node_modules'), directory.path('node_modules'));
    directory.write('package.json', '{"type":"module"}');
    const selection = { models: ['brand', 'stockOrder', 'subscriptionTask'] };
    directory.write('api.d.ts', await exportContract('types', contract, { selection }));
    const head =
      "import createClient from 'openapi-fetch'; import type * as api from './api.d.ts'; export const client = createClient<api.paths>();";
    const wrong = [
      ["client.GET('/api/model/brands', {});", /brands/],
      ["client.POST('/api/model/brand', { body: {} });", /name: string/],
      ["client.POST('/api/model/subscriptionTask', { body: {} });", /subscriptionTask/],
      ['export const status: api.StockOrderStatus = 9;', /'9' is not assignable/],
      ['export const write = (b: api.Brand) => { b.id = 1; };', /read-only/],
      ['export const date = (b: api.Brand) => new Date(b.created);', /No overload matches/],
      ['export const extra = (b: api.Brand) => b.color;', /'color' does not exist/],
    ] as const;
    const program = [head, ...wrong.map(([code]) => code)].join('\n');
    const said = await compile(directory.write('client.ts', program));
    const errors = said.split('\n').filter((line) => line.startsWith('client.ts'));
    expect(errors).toEqual(
      wrong.map(([, found], index) =>
        expect.stringMatching(new RegExp(`^client\\.ts\\(${index + 2},.*${found.source}`)),
      ),
    );
  });

  it('compile under profiles far from the default, without any other file', async () => {
    const profiles = coverProfiles(contract.catalogue).filter((_, index) => index % 12 === 0);
    expect(profiles.length).toBeGreaterThan(2);
    const files = await Promise.all(
      profiles.map(async (profile, index) =>
        directory.write(`${index}.d.ts`, await exportContract('types', { ...contract, profile })),
      ),
    );
    expect(await compile(...files)).toBe('');
  });
});
