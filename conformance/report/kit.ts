import { readFileSync } from 'node:fs';
import { kitFile } from '../../spec/files/kit-file.ts';

/** Who made a report, for the formats that ask. */
export const KIT: { readonly name: string; readonly version: string } = readPackage();

function readPackage(): { name: string; version: string } {
  const { name, version } = JSON.parse(readFileSync(kitFile('package.json'), 'utf8'));
  return { name, version };
}
