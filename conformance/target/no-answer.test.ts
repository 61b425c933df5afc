import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { EXPIRED, FOR_LOCALHOST, KEY } from '../../testing/proxies/certificates.ts';
import { BRAND, useTarget } from '../../testing/proxies/use-target.ts';
import { createTarget, type TargetOptions } from './target.ts';

const { closing, recorder } = useTarget();
const trusted = getCACertificates();

afterEach(() => setDefaultCACertificates(trusted));

/** Serves an empty list with TLS on a free port, and gives the port. */
async function serveSecurely(cert: string): Promise<number> {
  const server = createServer({ key: KEY, cert }, (_, response) => response.end('[]'));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  closing({ close: () => server.close() && server.closeAllConnections() });
  return (server.address() as AddressInfo).port;
}

/** Asks once, and gives the answer or what is said about its absence. */
async function ask(baseUrl: string, more: Partial<TargetOptions> = {}): Promise<string> {
  return closing(createTarget({ baseUrl, ...more }))
    .send(BRAND, () => {})
    .then(
      ({ body }) => body,
      ({ message }: Error) => message,
    );
}

test('a certificate that nobody signed whom Node knows is said to be not trusted, with the way out', async () => {
  const url = `https://127.0.0.1:${await serveSecurely(FOR_LOCALHOST)}`;
  expect(await ask(url)).toBe(
    `GET ${url}/api/model/brand: its certificate is not trusted; pass --ca FILE to trust its issuer, or --insecure (DEPTH_ZERO_SELF_SIGNED_CERT)`,
  );
  expect(await ask(url, { insecure: true })).toBe('[]');
});

test('a certificate that has expired is said to have', async () => {
  setDefaultCACertificates([EXPIRED]);
  const url = `https://127.0.0.1:${await serveSecurely(EXPIRED)}`;
  expect(await ask(url)).toBe(
    `GET ${url}/api/model/brand: its certificate has expired; pass --insecure to accept it (CERT_HAS_EXPIRED)`,
  );
  expect(await ask(url, { insecure: true })).toBe('[]');
});

test('a certificate for another host is said to be', async () => {
  setDefaultCACertificates([FOR_LOCALHOST]);
  const port = await serveSecurely(FOR_LOCALHOST);
  const url = `https://127.0.0.1:${port}`;
  expect(await ask(url)).toBe(
    `GET ${url}/api/model/brand: its certificate is for another host; pass --insecure to accept it (ERR_TLS_CERT_ALTNAME_INVALID)`,
  );
  expect(await ask(`https://localhost:${port}`)).toBe('[]');
  expect(await ask(url, { insecure: true })).toBe('[]');
});

test('https where no TLS is spoken says so, and names the address without', async () => {
  const url = (await recorder(() => ({}))).url.replace('http:', 'https:');
  expect(await ask(url)).toBe(`GET ${url}/api/model/brand: it does not use TLS; try http:// instead`);
});

test('a proxy that is not there is named, without its password', async () => {
  const { close, url } = await recorder(() => ({}));
  await close();
  const named = url.replace('//', '//me:pr0xy@');
  for (const scheme of ['http', 'https'] as const)
    expect(await ask(`${scheme}://service.invalid`, { proxy: { [scheme]: named } })).toBe(
      `GET ${scheme}://service.invalid/api/model/brand: the proxy ${url} can't be reached: nothing listens there (connection refused) (to connect without the proxy, add the host to NO_PROXY)`,
    );
});
