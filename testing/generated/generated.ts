import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderReference } from '../profile/profile-reference.ts';
import { profileSchema } from '../profile/profile-schema.ts';
import { fixturesSchema } from './fixtures-schema.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The files that are made from declarations, with their texts; `npm run generate` writes them, a test compares them. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    [join(ROOT, 'spec/profile/profile.default.yaml'), renderReference()],
    [join(ROOT, 'spec/schemas/fixtures.schema.json'), `${JSON.stringify(fixturesSchema(), null, 1)}\n`],
    [join(ROOT, 'spec/schemas/profile.schema.json'), `${JSON.stringify(profileSchema(), null, 2)}\n`],
  ]);
}

if (import.meta.main)
  for (const [path, text] of generatedFiles()) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
