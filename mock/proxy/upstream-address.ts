import { UsageError } from '../../spec/files/usage-error.ts';

/** Where a service is, such as `https://api.example.com/v1`. Throws UsageError for what is no address of one. */
export function parseAddress(text: string): URL {
  const url = URL.parse(text);
  const isWeb = url !== null && /^https?:$/.test(url.protocol);
  // What can't be read as an address may hold a password all the same.
  if (isWeb ? url.username || url.password : text.includes('@'))
    throw new UsageError(
      'the upstream holds a user name or password; expected none: the proxy passes on the credentials of each request',
    );
  if (!isWeb)
    throw new UsageError(`the upstream is "${text}"; expected an address such as https://api.example.com`);
  if (url.search || url.hash)
    throw new UsageError('the upstream holds a query or fragment; expected an address without ? and #');
  return url;
}
