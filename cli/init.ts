import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { stringify } from 'yaml';
import { parseBaseUrl } from '../conformance/target/target.ts';
import { KIT, kitFile } from '../spec/files/kit-file.ts';
import { UsageError, whyFailed } from '../spec/files/usage-error.ts';
import { CONFIG_FILE } from './config/keys.ts';
import { say } from './terminal/terminal.ts';

/** The URL in the template. */
const DEFAULT_URL = 'http://127.0.0.1:4010';

/** Writes a configuration file into the working directory. An existing file is never changed. */
export function init(url = DEFAULT_URL): void {
  const text = readFileSync(kitFile('spec/config-template.yaml'), 'utf8')
    .replace('schemas/config.schema.json', schemaPath)
    .replace(DEFAULT_URL, () => stringify(parseBaseUrl(url)).trim());
  try {
    // The flag makes this fail for an existing file, even for one that another process creates now.
    writeFileSync(CONFIG_FILE, text, { flag: 'wx' });
  } catch (error) {
    throw new UsageError(
      `${CONFIG_FILE} can't be written because ${whyFailed(error)}.${existsSync(CONFIG_FILE) ? ' Edit it, or delete it first.' : ''}`,
    );
  }
  say(`Wrote ${CONFIG_FILE}. Next, check the service: record-model check`);
}

/** Returns the path of the schema in the installed package, here or above, from the working directory. */
function schemaPath(): string {
  const here = process.cwd();
  const inPackage = join(KIT.name, 'spec/schemas/config.schema.json');
  const places = createRequire(join(here, 'x')).resolve.paths(KIT.name) ?? [];
  const all = places.map((directory) => relative(here, join(directory, inPackage)));
  const path = all.find((place) => existsSync(place)) ?? join('node_modules', inPackage);
  return `${path.startsWith('..') ? '' : './'}${path.replaceAll(sep, '/')}`;
}
