import type { Exchange } from './exchange.ts';

/** Where an answer sends to. */
export type Redirect = {
  /** `http://127.0.0.1:4010/v2/api/model/brand`, without a user before the host. */
  readonly address: string;
  /** The base URL to give instead, where nothing else differs. */
  readonly baseUrl?: string;
};

/** Where an answer to a request for the path behind the base URL sends to; undefined where it does not. */
export function redirectOf({ request, response }: Exchange, path: string): Redirect | undefined {
  const { location } = response.headers;
  const place = location === undefined ? null : URL.parse(location, request.url);
  if (response.status < 300 || response.status > 399 || !place || !/^https?:$/.test(place.protocol))
    return undefined;
  const address = place.origin + place.pathname;
  const rest = address.endsWith(path) ? { baseUrl: address.slice(0, -path.length) } : {};
  return { address: address + place.search, ...rest };
}
