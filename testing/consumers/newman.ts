import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exportContract } from '../../generator/export/export.ts';
import { createMock } from '../../mock/mock.ts';
import { type Outcome, selectionOf, type Trial } from './consumer.ts';
import { toolPath } from './tools.ts';

type Report = {
  readonly run: {
    readonly stats: { readonly requests: { readonly total: number } };
    readonly failures: readonly {
      readonly source?: { readonly name?: string };
      readonly error: { readonly message: string };
    }[];
  };
};

/** Sends the exported collection, without changes, with newman to a mock with the demo records. */
export async function sendWithNewman({ contract, models, records, directory }: Trial): Promise<Outcome> {
  const [collection, report] = ['collection.json', 'report.json'].map((name) => join(directory, name));
  await using mock = await createMock({ ...contract, fixtures: records, journal: 0 });
  const { url } = await mock.listen();
  const options = { records, servers: [url], selection: selectionOf(models) };
  writeFileSync(`${collection}`, await exportContract('postman', contract, options));
  const flags = ['--reporters', 'json', '--reporter-json-export', `${report}`];
  // Newman exits with 1 after a failure, and the report has the failures.
  const newman = toolPath('newman/bin/newman.js');
  await promisify(execFile)(process.execPath, [newman, 'run', `${collection}`, ...flags]).catch(() => {});
  const { run }: Report = JSON.parse(readFileSync(`${report}`, 'utf8'));
  const faults = run.failures.map(({ error, source }) => `${source?.name}: ${error.message}`);
  return { count: run.stats.requests.total, faults };
}
