import { readdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createMock } from '../../../mock/mock.ts';
import { demo } from '../../../testing/demo.ts';
import { serve } from '../../../testing/services/http-server.ts';
import { useCommand } from '../../../testing/use-command.ts';

const { closing, directory, read, run } = useCommand();
const TOKEN = 't0ps3cret-b34rer-0f-the-user';
const FILES = ['json', 'html', 'junit', 'markdown', 'har', 'write-baseline', 'manifest'];

type Reply = { readonly status: number; readonly headers: Record<string, string>; readonly body: string };
type Echo = (reply: Reply, authorization: string, request: IncomingMessage) => Reply;

const inEach = (name: string, value: unknown) => (body: string) =>
  JSON.stringify(JSON.parse(body), (key, member) =>
    key === name && typeof member === 'string' ? value : member,
  );

/** Serves the demo club, and shows the credentials in its responses. */
async function serveEchoing(echo: Echo): Promise<string> {
  const mock = closing(await createMock({ fixtures: demo }));
  const served = await serve(async (request, response) => {
    const { headers, method = 'GET', url = '' } = request;
    const body = method === 'GET' ? {} : { body: await text(request) };
    const type = { 'content-type': headers['content-type'] ?? '' };
    const replied = await mock.fetch(new Request(`http://mock${url}`, { method, headers: type, ...body }));
    const plain = {
      status: replied.status,
      headers: Object.fromEntries(replied.headers),
      body: await replied.text(),
    };
    const reply = echo(plain, headers.authorization ?? '', request);
    const { 'content-length': _, ...kept } = reply.headers;
    response.writeHead(reply.status, kept).end(reply.body);
  });
  closing(served);
  return served.url;
}

test.each<[string, Echo]>([
  [
    'in a field',
    (reply, authorization) =>
      reply.body === '' ? reply : { ...reply, body: inEach('name', authorization)(reply.body) },
  ],
  [
    'in a field of some responses',
    (reply, authorization, { method, url = '' }) =>
      method === 'GET' && /\d+$/.test(url) && reply.body !== ''
        ? { ...reply, body: inEach('name', authorization)(reply.body) }
        : reply,
  ],
  [
    'in a field of lists',
    (reply, authorization, { method, url = '' }) =>
      method === 'GET' && /brand(\?|$)/.test(url)
        ? { ...reply, body: inEach('name', authorization)(reply.body) }
        : reply,
  ],
  [
    'in an error text',
    (reply, authorization, { method }) =>
      method === 'POST' ? { ...reply, status: 422, body: `{"error":"no, ${authorization}"}` } : reply,
  ],
  [
    'in a header',
    (reply, authorization, { method }) => ({
      ...reply,
      status: method === 'DELETE' ? 500 : reply.status,
      headers: { ...reply.headers, 'x-echo': authorization, location: `/?for=${authorization}` },
    }),
  ],
])('credentials that the service repeats %s stand in no report', async (_, echo) => {
  const url = await serveEchoing(echo);
  const reports = FILES.flatMap((format) => [`--${format}`, `out.${format}`]);
  const args = ['check', url, '--models', 'brand', '--bearer', TOKEN];
  const checked = await run(...args, '--profile', 'default.yaml', ...reports);
  expect(checked.code).toBe(1);
  const github = await run(...args, '--profile', 'default.yaml', '--github');
  const learned = await run('learn', url, '--bearer', TOKEN, '--models', 'brand', '-o', 'out.profile');
  const files = readdirSync(directory.path()).map((name) => [name, read(name)] as const);
  expect(files.length).toBeGreaterThan(FILES.length);
  const outputs = [checked, github, learned].flatMap(({ stderr, stdout }) => [stdout, stderr]);
  const all = [...files, ...outputs.map((text, index) => [`output ${index}`, text] as const)];
  const leaks = all.flatMap(([name, text]) => {
    const at = text.indexOf(TOKEN);
    return at < 0 ? [] : [`${name}: ${text.slice(Math.max(0, at - 200), at + 40)}`];
  });
  expect(leaks).toEqual([]);
});
