import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The path of a data file of this folder. The compiled code lies in `dist/spec`, the data only in `spec`,
 * so that there is one copy of every fact.
 */
export function dataFile(name: string): string {
  const beside = join(import.meta.dirname, '..', name);
  return existsSync(beside) ? beside : join(import.meta.dirname, '../../../spec', name);
}
