import { expect, test } from 'vitest';
import { isSameOption, loadProfile } from '../spec/profile/profile.ts';
import { catalogue } from '../testing/checks.ts';
import { TINY_DIALECTS } from '../testing/dialects.ts';
import { startMockService } from '../testing/mock-service.ts';
import type { Reply } from '../testing/proxies/recording-proxy.ts';
import { useCommand } from '../testing/use-command.ts';

const { closing, directory, read, run, startRecordingProxy } = useCommand();
const ANSI = '\u001b';

test('learn writes the profile to a file or to standard output', async () => {
  const legacy = closing(await startMockService({ settings: TINY_DIALECTS.legacy }));
  const before = await legacy.count();
  const token = ['--bearer', 'letmein'];
  const few = [
    '--models',
    'brand,customer,customerToTag,locker,shareTransfer,stockOrder,taskComment,voucherType',
  ];
  const learned = await run('learn', legacy.url, ...token, ...few, '-o', 'learned.yaml');
  expect(learned).toMatchObject({ code: 0, stdout: '' });
  expect(learned.stderr).toMatch(/^request\.encoding +form /m);
  expect(learned.stderr).not.toContain(ANSI);
  expect(await legacy.count()).toBe(before);
  const settings = loadProfile(directory.path('learned.yaml'), catalogue);
  // How long a list may be shows only where there are records enough.
  const { 'list.paging': paging, ...shown } = TINY_DIALECTS.legacy;
  expect(settings).toMatchObject(shown);
  expect(isSameOption(settings['list.paging'], paging)).toBe(true);

  const { code, stdout } = await run('learn', legacy.url, ...token, ...few, '--read-only');
  expect(code).toBe(0);
  directory.write('read-only.yaml', stdout);
  expect(loadProfile(directory.path('read-only.yaml'), catalogue)['response.records']).toBe(
    '/result/records',
  );
  expect(await legacy.count()).toBe(before);
});

test.each<[string, Reply, RegExp, number?]>([
  ['HTML', { headers: { 'content-type': 'text/html' }, body: '<p>Hi' }, /with text\/html that is not JSON/],
  ['a 500', { status: 500, body: 'out of order' }, /returned 500: "out of order"/],
  ['a 401', { status: 401 }, /returned 401/, 2],
])(
  'learn from a service that responds to all requests with %s ends with the reason and no profile',
  async (_, reply, why, exit = 1) => {
    const recorder = await startRecordingProxy(undefined, () => reply);
    directory.write('good.yaml', 'delete.effect: remove\n');
    const { code, stderr, stdout } = await run('learn', recorder.url, '-o', 'good.yaml');
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
    expect(stderr).toMatch(why);
    if (exit === 1) expect(stderr).toMatch(/^No profile was written/m);
    expect(read('good.yaml')).toBe('delete.effect: remove\n');
  },
);
