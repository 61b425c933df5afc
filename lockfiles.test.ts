import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dependencies, ROOT } from './testing/packed-package/packed-package.ts';

const LOCKFILES = ['package-lock.json', 'testing/consumers/tools/package-lock.json'];

describe.each(LOCKFILES)('the lockfile %s', (name) => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
  const locked = Object.entries<{ integrity?: string; hasInstallScript?: true }>(packages).slice(1);

  test('has the integrity of every package, those for other systems too', () => {
    expect(locked.length).toBeGreaterThan(100);
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });

  test('brings no install script that package.json does not allow or deny by name', () => {
    const { allowScripts = {} } = JSON.parse(readFileSync(join(ROOT, dirname(name), 'package.json'), 'utf8'));
    const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripts.map(([place]) => place.split('node_modules/').at(-1)).sort()).toEqual(
      Object.keys(allowScripts).sort(),
    );
  });
});

test('an install brings the types of OpenAPI beside the package, and no install script', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  expect(dependencies()).toEqual(['openapi-types']);
  expect(packages['node_modules/openapi-types'].hasInstallScript).toBeUndefined();
});
