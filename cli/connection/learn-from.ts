import { type Learned, learnProfile } from '../../conformance/learn/learn.ts';
import { type Bindings, loadBindings } from '../../conformance/records/links.ts';
import type { Contract } from '../../spec/contract.ts';
import { createStatus } from '../terminal/console.ts';
import type { Connected } from './connection.ts';
import type { ConnectionOptions } from './connection-options.ts';

/** Returns the IDs in the --bindings file, by the name of their model. */
export function bindingsOf({ bindings }: ConnectionOptions, { catalogue, references }: Contract): Bindings {
  return bindings === undefined ? new Map() : loadBindings(bindings, catalogue, references);
}

/** Learns the profile of the service and shows progress. After an error, `onLeftovers` gets the records that remain. */
export async function learnFrom(
  connected: Connected,
  { catalogue, references }: Contract,
  bindings: Bindings,
  onLeftovers: (leftovers: readonly string[]) => void = () => {},
  selected?: ReadonlySet<string>,
): Promise<Learned> {
  const { journal, limit, onStart, pins, readOnly, scheme, seed, signal, tag, tagIsUnique, target } =
    connected;
  const status = createStatus();
  status.show(`Learning the profile of ${target.url}`);
  try {
    return await learnProfile({
      catalogue,
      references,
      selected,
      target,
      seed,
      // The tag distinguishes these records from the records of the check.
      tag: `${tag}l`,
      tagIsUnique,
      journal,
      limit,
      pins,
      bindings,
      write: !readOnly,
      onProgress: ({ at, done, of }) =>
        status.show(`Learning: ${done} of ${of} steps, ${target.requests()} requests (${at})`),
      onLeftovers,
      onStart,
      signal,
      ...(scheme ? { credentials: scheme } : {}),
    });
  } finally {
    status.clear();
  }
}
