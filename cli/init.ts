import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { stringify } from 'yaml';
import { parseBaseUrl } from '../conformance/target/target.ts';
import { KIT } from '../spec/files/kit-file.ts';
import { UsageError, whyFailed } from '../spec/files/usage-error.ts';
import { CONFIG_FILE } from './config/keys.ts';
import { say } from './terminal/console.ts';

/** Writes a configuration file into the working directory. An existing file is never changed. */
export function init(url = 'http://127.0.0.1:4010'): void {
  const text = render(parseBaseUrl(url));
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

function render(url: string): string {
  return `# yaml-language-server: $schema=${schemaPath()}
# Options of record-model check, learn, capture, clean, and mock. A flag on the command line wins.
# Paths are relative to this file. A secret must be a variable of the environment, such as \${STAGING_TOKEN}.

# Base URL of the service.
url: ${stringify(url).trim()}

# Settings of the service. To write them, run: record-model learn -o profile.yaml
# profile: profile.yaml

# Models to check. Default: all.
# models: [brand, customer]

# Values that are the same in all created records.
# pins:
#   customer.disableNotifications: true

# IDs of existing records for links.
# bindings: bindings.yaml

# Known failures and models that are not built. To write them, run: record-model check --write-baseline known.yaml
# baseline: known.yaml

# Reports that each check writes.
# reports:
#   html: report.html
#   junit: junit.xml

# Limits of a run: requests per second, seconds, and created records.
# limits:
#   rate: 20
#   max-time: 600
#   max-records: 500

# Other services. To check one, run: record-model check staging
# The keys of a target replace the keys above. To allow writes, pass --write.
# targets:
#   staging:
#     url: https://staging.example.com
#     bearer: \${STAGING_TOKEN}
`;
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
