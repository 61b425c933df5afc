import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { exportContract } from '../../generator/export/export.ts';
import { createMock } from '../../mock/mock.ts';
import type { Contract } from '../../spec/contract.ts';
import type { LoopResult } from './crud-loop.ts';

/** What `npm run consumers` alone needs, and every install would wait for. */
const TOOLS = join(import.meta.dirname, 'tools');
const NEWMAN = join(TOOLS, 'node_modules/newman/bin/newman.js');

type Report = {
  readonly run: {
    readonly stats: { readonly requests: { readonly total: number } };
    readonly failures: readonly {
      readonly source?: { readonly name?: string };
      readonly error: { readonly message: string };
    }[];
  };
};

/** Installs the tools where they are missing. */
export function installTools(): void {
  if (existsSync(NEWMAN)) return;
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: TOOLS,
    stdio: 'inherit',
  });
}

/** Sends the collection of the contract to the mock with the demo records, as it is imported, with newman. */
export async function sendWithNewman(contract: Contract): Promise<LoopResult> {
  const records = loadFixtures('demo');
  const directory = mkdtempSync(join(tmpdir(), 'record-model-'));
  const [collection, report] = ['collection.json', 'report.json'].map((name) => join(directory, name));
  await using mock = await createMock({ ...contract, fixtures: records, journal: 0 });
  try {
    const { url } = await mock.listen();
    writeFileSync(`${collection}`, await exportContract('postman', contract, { records, servers: [url] }));
    const flags = ['--reporters', 'json', '--reporter-json-export', `${report}`];
    // It ends with 1 when something failed, which the report tells.
    await promisify(execFile)(process.execPath, [NEWMAN, 'run', `${collection}`, ...flags]).catch(() => {});
    const { run }: Report = JSON.parse(readFileSync(`${report}`, 'utf8'));
    const faults = run.failures.map(({ error, source }) => `${source?.name}: ${error.message}`);
    return { sent: run.stats.requests.total, faults };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
