import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { type Exchange, redirectOf } from './exchange.ts';
import type { Target } from './target.ts';

/**
 * Sends one request before all others, so that a missing target or a wrong base URL is one error and not a thousand
 * failures. Throws NoAnswer and UsageError.
 */
export async function ping(
  target: Target,
  { base, models }: Catalogue,
  /** The names of the selected models; a service might have no other one. */
  selected: Iterable<string> = models.keys(),
): Promise<void> {
  const [model] = selected;
  const path = `${base}/${model}`;
  const exchanges: Exchange[] = [];
  await target.send({ method: 'GET', path }, (exchange) => exchanges.push(exchange));
  for (const exchange of exchanges) {
    const { address, baseUrl } = redirectOf(exchange, path) ?? {};
    if (baseUrl === undefined) continue;
    const asked = `GET ${target.url}${path} returned ${exchange.response.status}`;
    throw new UsageError(
      `${asked} and redirects to ${address}. Redirects are not followed. Pass ${baseUrl} as the base URL.`,
    );
  }
}
