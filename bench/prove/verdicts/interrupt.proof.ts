import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Started } from '../../../testing/command.ts';
import { useCommand } from '../../../testing/use-command.ts';

const { directory, start, startService } = useCommand();
/** With it nothing is learned. */
const profile = 'default.yaml';

/** Interrupts a command at its nth create and, where `twice` is set, once more at the delete that follows. */
async function interrupt(nth: number, { twice }: { readonly twice: boolean }, ...args: string[]) {
  let creates = 0;
  let started: Started | undefined;
  const { service, url } = await startService({}, ({ method, path }) => {
    const isCreate = method === 'POST' && /^\/api\/model\/[a-zA-Z]+$/.test(path);
    if ((isCreate && ++creates === nth) || (twice && method === 'DELETE' && creates >= nth))
      started?.child.kill('SIGINT');
    return undefined;
  });
  const before = await service.count();
  started = start(args.map((word) => (word === 'URL' ? url : word)));
  return { ...(await started.ended), left: (await service.count()) - before };
}

test('a second Ctrl+C ends a check immediately, and the manifest lists the leftovers', async () => {
  const args = ['check', 'URL', '--profile', profile, '--manifest', 'twice.json'];
  const { code, left, stderr } = await interrupt(150, { twice: true }, ...args);
  expect(code).toBe(130);
  expect(left).toBeGreaterThan(16);
  const { leftovers } = JSON.parse(readFileSync(directory.path('twice.json'), 'utf8'));
  // The run can't list records whose creates are still in progress: one per connection at most.
  expect(leftovers.length).toBeGreaterThanOrEqual(left - 16);
  expect(stderr).toContain('not removed: see twice.json');
});

test('a second Ctrl+C ends learn immediately, and it reports the leftovers', async () => {
  const { code, left, stderr } = await interrupt(30, { twice: true }, 'learn', 'URL', '-o', 'learned.yaml');
  expect(code).toBe(130);
  expect(left).toBeGreaterThan(0);
  expect(stderr).toMatch(/^Interrupted\. These records were not removed: \w+\/\d+/m);
});

test('Ctrl+C ends learn with 130, deletes its records, and writes no profile', async () => {
  const { code, left, stderr } = await interrupt(30, { twice: false }, 'learn', 'URL', '-o', 'learned.yaml');
  expect({ code, left }).toEqual({ code: 130, left: 0 });
  expect(stderr).toContain('Press Ctrl+C again to stop immediately.');
  expect(existsSync(directory.path('learned.yaml'))).toBe(false);
});
