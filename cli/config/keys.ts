import type { Option } from 'commander';

/** The name of the file that is found upward from the working directory. */
export const CONFIG_FILE = 'record-model.yaml';

/** The key that replaces the argument. */
export const URL_KEY = 'url';

/** The key of the targets, which have all the other keys. */
export const TARGETS = 'targets';

/** The names of targets; a URL or a path doesn't fit. */
export const TARGET_NAME = /^[A-Za-z0-9][\w-]{0,63}$/;

/** Mappings that hold some keys. All other keys are outside of a mapping. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  reports: ['json', 'junit', 'markdown', 'html', 'har', 'manifest'],
  limits: ['rate', 'concurrency', 'timeout', 'max-time', 'max-records'],
};

/** Mappings for the flags whose values have a name. Each member is one value of the flag. */
export const NAMED_VALUES: Readonly<Record<string, { readonly flag: string; readonly join: string }>> = {
  pins: { flag: 'pin', join: '=' },
  headers: { flag: 'header', join: ': ' },
};

/** The flags that the file can't have, with the reason. */
export const COMMAND_LINE_ONLY: Readonly<Record<string, string>> = {
  write: 'The file can\'t allow writes. Remove "write", and pass --write on the command line.',
  config: 'The file can\'t name another file. Remove "config".',
  ...Object.fromEntries(
    ['case', 'list-rules', 'dry-run', 'watch', 'write-baseline'].map((name) => [
      name,
      `"${name}" belongs to one run. Remove it, and pass --${name} on the command line.`,
    ]),
  ),
};

/** A reference to a variable of the environment. */
export const VARIABLE = String.raw`\$\{[A-Za-z_][A-Za-z0-9_]*\}`;

/** The values with a secret, by their flag. Only a variable can be the secret part. */
export const SECRETS: Readonly<Record<string, { readonly pattern: string; readonly example: string }>> = {
  bearer: { pattern: `^${VARIABLE}$`, example: `\${STAGING_TOKEN}` },
  basic: { pattern: `^([^:]*:)?${VARIABLE}$`, example: `me:\${STAGING_PASSWORD}` },
  'api-key': { pattern: `^([A-Za-z0-9-]+=)?${VARIABLE}$`, example: `X-Api-Key=\${STAGING_KEY}` },
  header: { pattern: `^([A-Za-z]+ )?${VARIABLE}$`, example: `\${STAGING_TENANT}` },
};

/** The flags that belong to one service. They don't apply to another URL. */
export const OF_ONE_SERVICE: readonly string[] = [...Object.keys(SECRETS), 'cert', 'key', 'ca', 'insecure'];

const SELECTION = ['models', 'area', 'rule', 'level'];

/**
 * The keys that each flag, or key of a target, replaces in addition to its own: it contradicts them, or makes them wrong.
 */
export const REPLACES: Readonly<Record<string, readonly string[]>> = {
  bearer: ['basic', 'api-key'],
  basic: ['bearer', 'api-key'],
  'api-key': ['bearer', 'basic'],
  write: ['read-only'],
  'write-baseline': ['fail-fast'],
  models: ['area'],
  area: ['models'],
  case: [...SELECTION, 'min-coverage'],
};

/** The messages for keys that belong elsewhere. */
export const MISPLACED: Readonly<Record<string, string>> = {
  ...COMMAND_LINE_ONLY,
  ...Object.fromEntries(
    Object.entries(GROUPS).flatMap(([group, names]) =>
      names.map((name) => [name, `"${name}" belongs in ${group}. Write ${group}: { ${name}: … }.`]),
    ),
  ),
  ...Object.fromEntries(
    Object.entries(NAMED_VALUES).map(([name, { flag }]) => [
      flag,
      `Unknown key "${flag}". Did you mean "${name}"?`,
    ]),
  ),
};

/** Whether the values of an option are paths of files or directories, relative to the file. */
export function isPath({ flags }: Option): boolean {
  return /<(file|dir)>/.test(flags);
}
