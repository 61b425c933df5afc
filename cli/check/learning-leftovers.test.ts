import { describe, expect, test } from 'vitest';
import { useCommand } from '../../testing/use-command.ts';

const { read, run, startService } = useCommand();

const FEW = ['--models', 'brand', '--rule', 'absent'];

describe('what learning leaves behind', () => {
  const manifest = () => JSON.parse(read('left.json'));

  test('is listed where the target is lost while learning', async () => {
    let made = 0;
    const { url } = await startService({}, ({ method }, _, close) => {
      if (method === 'POST' && ++made === 6) close();
      return undefined;
    });
    const { code, stderr, stdout } = await run('check', url, ...FEW, '--manifest', 'left.json');
    expect({ code, stdout, stderr }).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/^record-model: The service can't be reached: .*nothing listens there/m),
    });
    const { leftovers, target } = manifest();
    expect(target).toBe(url);
    expect(leftovers).toContainEqual(expect.stringMatching(/^\w+\/\d+$/));
    expect(stderr).toContain(`${leftovers.length} records could not be removed: see left.json\n`);
    expect(stderr).toContain(`; not removed: ${leftovers.join(', ')}\n`);
  });

  // Only the learned profile shows that no case has this detail: there is no run then.
  const NO_CASE = 'required.on-create:brand.name=nothing';

  test.each([
    ['with what the run leaves', ['--models', 'brand', '--rule', 'create'], 0],
    ['alone where the run can not start', ['--case', NO_CASE], 2],
  ])('is listed %s', async (_, selection, expected) => {
    const { url } = await startService({}, ({ method }) =>
      method === 'DELETE' ? { status: 403 } : undefined,
    );
    const { code, stderr } = await run('check', url, ...selection, '--manifest', 'left.json');
    expect(code).toBe(expected);
    const { leftovers, target } = manifest();
    expect(stderr).toMatch(/^\d+ records could not be removed: see left\.json$/m);
    const brands = (await (await fetch(`${url}/api/model/brand?limit=100`)).json()) as { id: number }[];
    expect(target).toBe(url);
    expect(leftovers).toEqual(expect.arrayContaining([...brands.map(({ id }) => `brand/${id}`), 'locker/1']));
    expect(new Set(leftovers).size).toBe(leftovers.length);
  });
});
