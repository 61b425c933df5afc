import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ABOVE = join(import.meta.dirname, '..');

/** The compiled code lies in `dist/spec`, the data only in `spec`, so that there is one copy of every fact. */
const DATA = existsSync(join(ABOVE, 'references.yaml')) ? ABOVE : join(ABOVE, '../../spec');

/** The path of a data file or directory of `spec`, such as `catalogue` or `profile/profile.default.yaml`. */
export function dataFile(name: string): string {
  return join(DATA, name);
}
