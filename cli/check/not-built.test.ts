import { expect, test } from 'vitest';
import { onlyBuilt } from '../../testing/partial-service.ts';
import { useCommand } from '../../testing/use-command.ts';

const { directory, read, readResults, run, startService } = useCommand();
const MODELS = ['--models', 'brand,locker,share', '--rule', 'operations', '--profile', 'default.yaml'];

/** Starts a service with these models, which the test can change. */
async function startPartial(...names: string[]) {
  const built = [...names];
  const { url } = await startService({}, (asked) => onlyBuilt(built)(asked));
  const check = (...args: string[]) => run('check', url, ...MODELS, ...args);
  return { built, check };
}

test('a baseline lists models that are not built, reports name them, and built and new ones are found', async () => {
  const { built, check } = await startPartial('share', 'brand');
  const stdout = expect.stringMatching(
    /^2 MODELS CONFORMANT, 1 not built\n1 model is not built\. To accept this, write a baseline with --write-baseline FILE, /m,
  );
  expect(await check('--write-baseline', 'known.yaml')).toMatchObject({ code: 1, stdout });
  expect(read('known.yaml')).toMatch(/^# Known failures, and models .*\n- notBuilt: locker\n$/);
  const files = ['--json', 'r.json', '--html', 'r.html', '--markdown', 'r.md', '--junit', 'r.xml'];
  const accepted = await check('--baseline', 'known.yaml', ...files);
  expect(accepted).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^2 MODELS CONFORMANT, 1 not built\nnot built, so not judged .*: locker$/m),
  });
  expect(readResults('r.json')).toMatchObject({ notBuilt: ['locker'], newNotBuilt: [], staleBaseline: [] });
  expect(read('r.html')).toContain('"notBuilt":["locker"]');
  expect(read('r.md')).toMatch(
    /^## ✅ 2 MODELS CONFORMANT, 1 not built\n[\s\S]*not built, so not judged .*: locker\n/,
  );
  expect(read('r.xml')).toMatch(
    /<testcase classname="run" name="all models are built">\s*<skipped message="not built, .*: locker"\/>/,
  );

  built.splice(0, 1, 'locker');
  const changed = await check('--baseline', 'known.yaml', '--json', 'r.json', '--junit', 'r.xml');
  expect(changed).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /^NOT CONFORMANT, 2 of 2 models conform, 1 not built\nshare is not built, and the baseline does not list it\. /m,
    ),
  });
  expect(changed.stdout).toMatch(/^Stale baseline entries \(.*models are built.*\)\n {2}locker$/m);
  expect(readResults('r.json')).toMatchObject({ newNotBuilt: ['share'], staleBaseline: ['locker'] });
  expect(read('r.xml')).toContain('locker is fixed. Remove it from the baseline.');

  // The renewed baseline keeps a model that was not selected.
  directory.write('known.yaml', `${read('known.yaml')}- notBuilt: warehouse\n`);
  await check('--baseline', 'known.yaml', '--write-baseline', 'known.yaml');
  expect(read('known.yaml')).toMatch(/\n- notBuilt: share\n- notBuilt: warehouse\n$/);
  expect((await check('--baseline', 'known.yaml')).code).toBe(0);
});

test('a listed model of which no case passed is not reported as built', async () => {
  const { url } = await startService({}, ({ path }) =>
    path.includes('/locker') ? { status: 500 } : undefined,
  );
  directory.write('known.yaml', '- notBuilt: locker\n');
  const args = ['--baseline', 'known.yaml', '--json', 'r.json'];
  expect((await run('check', url, ...MODELS, ...args)).code).toBe(1);
  expect(readResults('r.json')).toMatchObject({ newNotBuilt: [], staleBaseline: [] });
});
