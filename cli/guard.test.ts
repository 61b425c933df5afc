import { describe, expect, test } from 'vitest';
import { run } from '../testing/command.ts';
import { useForwarding } from '../testing/mocks/use-forwarding.ts';
import { useDirectory } from '../testing/temporary-directory.ts';

const directory = useDirectory();
const { serve, startForwarding } = useForwarding();

/** A service of a few lines that shows no record, and notes the methods it is asked with. */
async function start(headers: Readonly<Record<string, string>> = {}) {
  const methods: string[] = [];
  const url = await serve((request, response) => {
    methods.push(request.method ?? '');
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end('[]');
  });
  return { methods, url };
}

const NAMES_BOTH =
  /Choose one:\n {2}--read-only {2}send only GET requests\n {2}--write {6}also create, change, and delete/;

describe.each(['check', 'learn'])('%s of what may be more than a service of your own', (verb) => {
  test('behind a proxy sends one GET, and names both ways on', async () => {
    const { methods, url } = await start({ via: '1.1 edge' });
    const { code, stderr } = await run(directory.path(), verb, url);
    expect({ code, stderr, methods }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/because its responses come through a proxy \(via: 1\.1 edge\)/),
      methods: ['GET'],
    });
    expect(stderr).toMatch(NAMES_BOTH);
  });

  test('behind a mock that forwards says which service that is, and only reads where that is asked for', async () => {
    const { methods, url } = await start();
    const mock = await startForwarding(url);
    const { code, stderr } = await run(directory.path(), verb, mock.url);
    expect({ code, stderr, methods }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`its responses come from ${url} through a record-model mock`),
      methods: ['GET'],
    });
    if (verb === 'check') return;
    await run(directory.path(), verb, mock.url, '--read-only');
    expect(methods.length).toBeGreaterThan(10);
    expect(new Set(methods)).toEqual(new Set(['GET']));
  });
});
