import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Who made a report, for the formats that ask. The compiled code lies a folder deeper than the source. */
export const KIT: { readonly name: string; readonly version: string } = readPackage();

function readPackage(): { name: string; version: string } {
  const above = join(import.meta.dirname, '../../package.json');
  const path = existsSync(above) ? above : join(import.meta.dirname, '../../../package.json');
  const { name, version } = JSON.parse(readFileSync(path, 'utf8'));
  return { name, version };
}
