import { locate } from '../../conformance/target/place.ts';
import type { ForwardControl } from '../../mock/control/action.ts';
import type { ForwardOptions } from '../../mock/forwarding/forwarding.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { terminal } from '../terminal/terminal.ts';

/** The flags about the service that answers some models. */
export type ForwardFlags = {
  forward?: string;
  models?: readonly string[];
  write?: true;
  timeout?: number;
  insecure?: true;
};

/** Maximum number of models that the ready message names. */
const MOST_NAMED = 8;

/** Returns the option `forward` of the mock. Throws UsageError for flags without --forward, and for unknown models. */
export async function forwardOf(
  { forward, insecure, models, timeout, write }: ForwardFlags,
  known: readonly string[],
): Promise<ForwardOptions | undefined> {
  if (forward === undefined) {
    for (const [name, value] of Object.entries({ models, write, timeout, insecure }))
      if (value !== undefined)
        throw new UsageError(
          `--${name} applies only to forwarded requests. Pass the URL of the service with --forward, or remove --${name}.`,
        );
    return undefined;
  }
  const named = models?.length === 1 && models[0] === 'all' ? undefined : models;
  for (const name of named ?? [])
    if (!known.includes(name)) throw new UsageError(unexpected('model', name, known, 'in --models'));
  // The mock refuses an invalid URL itself.
  const place = await locate(forward).catch(() => undefined);
  return {
    url: forward,
    models: named,
    write: write === true,
    insecure: insecure === true,
    ...(timeout !== undefined && { timeout }),
    ...(place?.isHere === false && { proxyEnv: terminal().env }),
  };
}

/** Describes what is forwarded, for the ready message. */
export function describeForward(forward: ForwardControl, total: number): string {
  const { models, url, write } = forward.state();
  const named = models.length > MOST_NAMED ? `${models.length} models` : models.join(', ');
  return `${models.length === total ? 'all models' : named} to ${url}${write ? '' : ', only reads'}`;
}
