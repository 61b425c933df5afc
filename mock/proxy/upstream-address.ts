import { UsageError } from '../../spec/files/usage-error.ts';

/** Where a service is, such as `https://api.example.com/v1`. Throws UsageError for what is no address of one. */
export function parseAddress(text: string): URL {
  const url = URL.parse(text);
  const isWeb = url !== null && /^https?:$/.test(url.protocol);
  // What can't be read as an address may hold a password all the same.
  if (isWeb ? url.username || url.password : text.includes('@'))
    throw new UsageError(
      'The upstream URL must not contain a user name or password. Send credentials with each request; the proxy forwards them.',
    );
  if (!isWeb)
    throw new UsageError(`The upstream must be a URL such as https://api.example.com, but is "${text}".`);
  if (url.search || url.hash)
    throw new UsageError(
      'The upstream URL must not contain a query or fragment. Remove ? or # and everything after it.',
    );
  return url;
}
