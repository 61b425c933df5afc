import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** The directory of this package, which has the data once, for the source and for the built code. */
const ROOT = dirname(findPackageJSON(import.meta.url) ?? '');

/** The path of a file or directory that comes with the kit, such as `spec/catalogue`. */
export function kitFile(name: string): string {
  return join(ROOT, name);
}

/** The name and version of the kit, for files that name their creator. */
export const KIT: { readonly name: string; readonly version: string } = readPackage();

function readPackage() {
  const { name, version } = JSON.parse(readFileSync(kitFile('package.json'), 'utf8'));
  return { name, version };
}

/** The name that a file of the kit has below the package, such as `spec/references.yaml`; undefined for others. */
export function nameInKit(path: string): string | undefined {
  const name = relative(ROOT, resolve(path));
  return name.startsWith('..') ? undefined : name.replaceAll(sep, '/');
}
