import { findPackageJSON } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** The directory of this package: its data lies there once, beside the source and beside the built code alike. */
const ROOT = dirname(findPackageJSON(import.meta.url) ?? '');

/** The path of a file or directory that comes with the kit, such as `spec/catalogue`. */
export function kitFile(name: string): string {
  return join(ROOT, name);
}

/** The name that a file of the kit has below the package, such as `spec/references.yaml`; undefined for others. */
export function nameInKit(path: string): string | undefined {
  const name = relative(ROOT, resolve(path));
  return name.startsWith('..') ? undefined : name.replaceAll(sep, '/');
}
