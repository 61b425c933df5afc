import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import type { Target } from './target.ts';

/**
 * One request before all others: a target that is not there is one clear error, not a thousand failures. Throws
 * NoAnswer.
 */
export async function ping(target: Target, { base, models }: Catalogue): Promise<void> {
  const [model] = models.keys();
  await target.send({ method: 'GET', path: `${base}/${model}` }, () => {});
}
