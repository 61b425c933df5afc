import { rmSync } from 'node:fs';
import { clean, readJournal } from '../conformance/journal/clean.ts';
import { loadContract } from '../spec/contract.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { connect } from './connection/connection.ts';
import type { ConnectionOptions } from './connection/connection-options.ts';
import { endEarly, NOT_CONFORMANT, say } from './terminal/console.ts';
import { terminal } from './terminal/terminal.ts';

export type CleanOptions = ConnectionOptions & { catalogue?: string; dryRun?: true };

/** Removes what a run that did not end has left, as its journal says. */
export async function cleanUp(file: string, options: CleanOptions): Promise<void> {
  if (options.readOnly && !options.dryRun)
    throw new UsageError('--read-only removes nothing; expected --dry-run to see what would be removed');
  const contract = loadContract(options.catalogue === undefined ? {} : { catalogue: options.catalogue });
  const unfinished = readJournal(file, contract.catalogue);
  const { target, readOnly } = await connect(unfinished.target, options, contract, endEarly);
  try {
    if (readOnly && !options.dryRun)
      throw new UsageError(
        `${target.url} is not on this machine; expected --write to remove records there, or --dry-run`,
      );
    const { left, removed, spared } = await clean(
      unfinished,
      contract.catalogue,
      target,
      options.dryRun === true,
    );
    for (const name of removed)
      terminal().stdout.write(`${options.dryRun ? 'would remove' : 'removed'} ${name}\n`);
    for (const name of spared) say(`spared ${name}: it can't be told from a record of somebody else`);
    for (const name of left) say(`${name} could not be removed`);
    if (left.length + spared.length > 0) terminal().exitCode = NOT_CONFORMANT;
    else if (!options.dryRun) rmSync(file, { force: true });
  } finally {
    await target.close();
  }
}
