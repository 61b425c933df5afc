import { type Learned, learnProfile } from '../../conformance/learn/learn.ts';
import { type Bindings, loadBindings } from '../../conformance/records/bindings.ts';
import type { Contract } from '../../spec/contract.ts';
import { createStatus } from '../terminal/console.ts';
import type { Connected } from './connection.ts';
import type { ConnectionOptions } from './connection-options.ts';

/** The ids the options give, by the name of what they are ids of. */
export function bindingsOf({ bindings }: ConnectionOptions, { catalogue, references }: Contract): Bindings {
  return bindings === undefined ? new Map() : loadBindings(bindings, catalogue, references);
}

/** Finds out the profile that the service speaks, and says how far that is; what an error leaves behind is told. */
export async function learnFrom(
  connected: Connected,
  { catalogue, references }: Contract,
  bindings: Bindings,
  onLeftovers: (leftovers: readonly string[]) => void = () => {},
): Promise<Learned> {
  const { journal, limit, onStart, pins, readOnly, scheme, seed, signal, tag, tagIsUnique, target } =
    connected;
  const status = createStatus();
  status.show(`learning the profile of ${target.url}`);
  try {
    return await learnProfile({
      catalogue,
      references,
      target,
      seed,
      // Apart from what is made to check.
      tag: `${tag}l`,
      tagIsUnique,
      journal,
      limit,
      pins,
      bindings,
      write: !readOnly,
      onProgress: ({ done, of, settings }) =>
        status.show(`learning: ${done} of ${of} probes, ${target.requests()} requests (${settings[0]})`),
      onLeftovers,
      onStart,
      signal,
      ...(scheme ? { credentials: scheme } : {}),
    });
  } finally {
    status.clear();
  }
}
