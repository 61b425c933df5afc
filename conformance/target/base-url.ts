import { UsageError } from '../../spec/files/usage-error.ts';

/** The base URL without its last slash; throws UsageError when it is none, or holds credentials. */
export function parseBaseUrl(text: string): string {
  const found = URL.parse(text);
  const url = found && /^https?:$/.test(found.protocol) ? found : undefined;
  // What may be a secret is not repeated, so this comes first; one with a slash in it makes no URL.
  if (url ? url.username || url.password : text.includes('@'))
    throw new UsageError(
      'the base URL holds a user name or password; expected --basic USER:PASSWORD instead',
    );
  if (/[?#]/.test(text))
    throw new UsageError(
      'the base URL holds a query or fragment; expected none, and keys in --header or --api-key',
    );
  if (!url) throw new UsageError(`the base URL is "${text}"; expected one such as http://127.0.0.1:4010`);
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Throws UsageError, which never repeats a password, for what is no address of a proxy. */
export function checkProxyUrl(text: string, source: string): void {
  const { hostname, protocol = '' } = URL.parse(text) ?? {};
  if (hostname && /^(https?|socks5?):$/.test(protocol)) return;
  throw new UsageError(`${source} holds no address of a proxy; expected one such as http://127.0.0.1:3128`);
}
