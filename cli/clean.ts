import { rmSync } from 'node:fs';
import { clean, readJournal } from '../conformance/records/journal.ts';
import { loadContract } from '../spec/contract.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { connect } from './connection/connection.ts';
import type { AccessOptions } from './connection/connection-options.ts';
import { endEarly, NOT_CONFORMANT, say } from './terminal/console.ts';
import { terminal } from './terminal/terminal.ts';

/** Deletes the records that an interrupted run left behind, by its journal. */
export async function cleanUp(
  _url: string | undefined,
  options: AccessOptions & { catalogue?: string; dryRun?: true },
  file: string,
): Promise<void> {
  const { dryRun } = options;
  if (dryRun && options.write)
    throw new UsageError("--dry-run and --write can't be used together. Remove one of them.");
  const contract = loadContract(options.catalogue === undefined ? {} : { catalogue: options.catalogue });
  const unfinished = readJournal(file, contract.catalogue);
  const access = dryRun ? { ...options, readOnly: dryRun } : options;
  const { target } = await connect(unfinished.target, access, contract, endEarly, { safeFlag: '--dry-run' });
  try {
    const { left, removed, spared, unseen } = await clean(unfinished, contract, target, dryRun === true);
    for (const name of removed) terminal().stdout.write(`${dryRun ? 'would remove' : 'removed'} ${name}\n`);
    for (const name of spared) say(`${name} was kept, because another client might have created it`);
    for (const [name, { status }] of unseen)
      say(`${name} was kept, because the service returned ${status} to its request`);
    for (const name of left) say(`${name} could not be removed`);
    if (left.length + spared.length + unseen.size > 0) terminal().exitCode = NOT_CONFORMANT;
    else if (!dryRun) rmSync(file, { force: true });
  } finally {
    await target.close();
  }
}
