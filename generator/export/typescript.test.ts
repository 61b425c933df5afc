import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../spec/contract.ts';
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

describe('the types of the contract', { timeout: 60_000 }, () => {
  it('refuse what the contract does not have', async () => {
    const selection = { models: ['brand', 'stockOrder', 'subscriptionTask'] };
    directory.write('api.d.ts', await exportContract('types', contract, { selection }));
    const head = "import type * as api from './api.d.ts';";
    const wrong = [
      ["export type Path = api.paths['/api/model/brands'];", /brands/],
      ['export const create: api.BrandCreate = {};', /'name' is missing/],
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
    const profiles = coverProfiles(contract.catalogue).filter((_, index) => index % 16 === 0);
    expect(profiles.length).toBeGreaterThan(1);
    const selection = { models: ['customer', 'relationship', 'stockOrder', 'taskComment', 'voucherType'] };
    const files = await Promise.all(
      profiles.map(async (profile, index) =>
        directory.write(
          `${index}.d.ts`,
          await exportContract('types', { ...contract, profile }, { selection }),
        ),
      ),
    );
    expect(await compile(...files)).toBe('');
  });
});
