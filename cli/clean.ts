import { rmSync } from 'node:fs';
import { clean, readJournal } from '../conformance/records/journal.ts';
import { loadContract } from '../spec/contract.ts';
import { type AccessOptions, type ConnectedService, useService } from './connection/connection.ts';
import type { ContractOptions } from './options.ts';
import { NOT_CONFORMANT, say, terminal } from './terminal/terminal.ts';

/** Deletes the records that an interrupted run left behind, by its journal. */
export async function cleanUp(
  _base: string | undefined,
  options: ContractOptions & AccessOptions & { dryRun?: true },
  file: string,
): Promise<void> {
  const { dryRun } = options;
  const contract = loadContract(options);
  const unfinished = readJournal(file, contract.catalogue);
  const access = dryRun ? { ...options, readOnly: dryRun } : options;
  const work = async ({ target }: ConnectedService) => {
    const { left, removed, spared, unseen } = await clean(unfinished, contract, target, dryRun === true);
    for (const name of removed) terminal().stdout.write(`${dryRun ? 'would remove' : 'removed'} ${name}\n`);
    for (const name of spared) say(`${name} was kept, because another client might have created it`);
    for (const [name, { status }] of unseen)
      say(`${name} was kept, because the service returned ${status} to its request`);
    for (const name of left) say(`${name} could not be removed`);
    if (left.length + spared.length + unseen.size > 0) terminal().exitCode = NOT_CONFORMANT;
    else if (!dryRun) rmSync(file, { force: true });
  };
  await useService(unfinished.target, access, contract, work, { safeFlag: '--dry-run' });
}
