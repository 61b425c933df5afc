import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { type Exchange, redirectOf } from './exchange.ts';
import type { Target } from './target.ts';

/**
 * One request before all others: a target that is not there, or at another base URL, is one clear error, not a thousand
 * failures. Throws NoAnswer and UsageError.
 */
export async function ping(target: Target, { base, models }: Catalogue): Promise<void> {
  const [model] = models.keys();
  const path = `${base}/${model}`;
  const exchanges: Exchange[] = [];
  await target.send({ method: 'GET', path }, (exchange) => exchanges.push(exchange));
  for (const exchange of exchanges) {
    const { address, baseUrl } = redirectOf(exchange, path) ?? {};
    if (baseUrl === undefined) continue;
    const asked = `GET ${path} answered ${exchange.response.status}`;
    throw new UsageError(
      `the base URL is ${target.url}, and ${asked} and leads to ${address}; redirects are not followed: give ${baseUrl} as the base URL`,
    );
  }
}
