import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serveMock } from './testing/mocks/control.ts';
import { ROOT, run } from './testing/packed-package/packed-package.ts';

describe('what runs it elsewhere', () => {
  // No daemon runs here, so that the image itself is not built.
  test('the image runs as nobody special, and its health is that of the mock', async () => {
    const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    expect(dockerfile).toMatch(/^USER node$/m);
    const copied = [...dockerfile.matchAll(/^COPY --from=build \/kit\/(\S+)/gm)].map(([, name = '']) => name);
    const shipped = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).files as string[];
    for (const name of shipped)
      expect(copied.some((folder) => name.startsWith(folder.split('/*')[0] ?? ''))).toBe(true);
    expect(copied.filter((name) => name !== 'dist' && !existsSync(join(ROOT, name)))).toEqual([]);
    const [, health = ''] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    const [, ...words] = JSON.parse(health) as string[];
    expect(health).toContain('/__mock/ready');
    await using mock = await serveMock();
    const at = words.map((word) => word.replace('http://127.0.0.1:4010', mock.url));
    await expect(run(process.execPath, at)).resolves.toBeDefined();
    const none = words.map((word) => word.replace(':4010', ':1'));
    await expect(run(process.execPath, none)).rejects.toMatchObject({ code: 1 });
  });
});
