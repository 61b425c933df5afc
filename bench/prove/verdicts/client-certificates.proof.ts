import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createMock } from '../../../mock/mock.ts';
import { demo } from '../../../testing/demo.ts';
import { EXPIRED, FOR_LOCALHOST, KEY } from '../../../testing/proxies/certificates.ts';
import { useCommand } from '../../../testing/use-command.ts';

const { closing, directory, run } = useCommand();
const FEW = ['--models', 'brand', '--profile', 'default.yaml'];

/** Serves the demo club with TLS, only to clients with a certificate. */
async function serveDemanding(more: { readonly maxVersion?: 'TLSv1.2' } = {}): Promise<string> {
  const mock = closing(await createMock({ fixtures: demo }));
  const options = { key: KEY, cert: FOR_LOCALHOST, ca: FOR_LOCALHOST, requestCert: true, ...more };
  const server = createServer(options, async (request, response) => {
    const { headers, method = 'GET', url = '' } = request;
    const body = method === 'GET' ? {} : { body: Buffer.concat(await request.toArray()) };
    const type = { 'content-type': headers['content-type'] ?? '' };
    const reply = await mock.fetch(new Request(`http://mock${url}`, { method, headers: type, ...body }));
    response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
  });
  await new Promise<void>((ready) => server.listen(0, 'localhost', ready));
  closing({
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
  directory.write('cert.pem', FOR_LOCALHOST);
  directory.write('key.pem', KEY);
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

describe('a service that demands a client certificate', () => {
  const flags = ['--ca', 'cert.pem', '--cert', 'cert.pem', '--key', 'key.pem'];

  test('is checked, learned, captured, and cleaned with one', async () => {
    const url = await serveDemanding();
    expect(await run('check', url, ...flags, ...FEW)).toMatchObject({ code: 0 });
    const learning = ['--read-only', '-o', 'p.yaml', '--models', 'brand'];
    expect(await run('learn', url, ...flags, ...learning)).toMatchObject({ code: 0 });
    expect(await run('capture', url, ...flags, ...FEW, '-o', 'c.yaml')).toMatchObject({ code: 0 });
    const head = { journal: 1, target: url, tag: 'k3f9', startedAt: '', profile: {} };
    directory.write('left.jsonl', JSON.stringify(head));
    expect(await run('clean', 'left.jsonl', ...flags)).toMatchObject({ code: 0 });
    directory.write('record-model.yaml', `url: ${url}\nca: cert.pem\ncert: cert.pem\nkey: key.pem\n`);
    expect(await run('check', ...FEW)).toMatchObject({ code: 0 });
    directory.write('both.pem', FOR_LOCALHOST + KEY);
    const both = ['--ca', 'cert.pem', '--cert', 'both.pem'];
    expect(await run('check', url, ...both, ...FEW)).toMatchObject({ code: 0 });
  });

  test('rejects others, and the message says what to pass', async () => {
    // From version 1.3 on, the server ends the handshake first, and then only closes the connection.
    const url = await serveDemanding({ maxVersion: 'TLSv1.2' });
    expect(await run('check', url, '--ca', 'cert.pem', ...FEW)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/needs one \(\S+\); pass --cert FILE and --key FILE/),
    });
    expect(await run('check', url, ...flags.slice(2), ...FEW)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/is not trusted \(\w+\); pass --ca FILE to trust its issuer/),
    });
  });
});

test.each([
  [['--key', 'key.pem'], '--key needs the certificate of the key. Pass it with --cert.'],
  [['--cert', 'cert.pem'], 'cert.pem contains no key. Pass the key of the certificate with --key.'],
  [
    ['--ca', 'none.pem'],
    "none.pem can't be read because there is no such file or directory. Pass a PEM file with --ca.",
  ],
  [
    ['--ca', 'default.yaml'],
    'default.yaml is not a PEM file. Pass a file with "-----BEGIN" lines with --ca.',
  ],
  [
    ['--cert', 'cert.pem', '--key', 'expired.pem'],
    /^record-model: cert\.pem, expired\.pem can't be used because TLS rejects it: .*\. Pass an unencrypted key/,
  ],
])('%j is a mistake that is explained', async (flags, message) => {
  directory.write('cert.pem', FOR_LOCALHOST);
  directory.write('key.pem', KEY);
  directory.write('expired.pem', EXPIRED);
  const { code, stderr } = await run('check', 'http://127.0.0.1:9', ...flags, ...FEW);
  expect(code).toBe(2);
  if (typeof message === 'string') expect(stderr).toBe(`record-model: ${message}\n`);
  else expect(stderr).toMatch(message);
});
