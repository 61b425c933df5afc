/**
 * Removes what only the clone needs from package.json while npm packs it: npm warns about scripts of a package.
 * `--restore` puts the original back, and each new packing does so first, because the last one can have been interrupted.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MANIFEST = join(import.meta.dirname, '../../package.json');
const ORIGINAL = join(import.meta.dirname, '../../node_modules/.package.json');

if (existsSync(ORIGINAL)) renameSync(ORIGINAL, MANIFEST);
if (!process.argv.includes('--restore')) {
  const text = readFileSync(MANIFEST, 'utf8');
  const { scripts: _, devDependencies: __, allowScripts: ___, overrides: ____, ...packed } = JSON.parse(text);
  writeFileSync(ORIGINAL, text);
  writeFileSync(MANIFEST, `${JSON.stringify(packed, null, 2)}\n`);
}
