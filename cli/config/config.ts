import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Command, Option } from 'commander';
import type { FormatName } from '../../conformance/report/report.ts';
import { parseBaseUrl } from '../../conformance/target/target.ts';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { KIT } from '../../spec/files/kit-file.ts';
import { checkFile } from '../../spec/files/save-file.ts';
import { attempt, readAll, UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { readYamlFile } from '../../spec/files/yaml-file.ts';
import { say } from '../terminal/terminal.ts';
import {
  CONFIG_FILE,
  GROUPS,
  isPath,
  NAMED_VALUES,
  OF_ONE_SERVICE,
  REPLACES,
  TARGET_NAME,
  URL_KEY,
} from './keys.ts';
import {
  type ConfigSetting,
  checkNames,
  type Entries,
  type Entry,
  expand,
  parsed,
  readEntries,
  urlOf,
} from './read-entries.ts';

/** The files and directories that a command reads. */
const READ: readonly string[] = ['profile', 'catalogue', 'bindings', 'baseline', 'cert', 'key', 'ca'];

/** Maximum number of bytes of a file. Settings need less, and to check a larger file would take minutes. */
const LARGEST_FILE = 64 * 1024;

/** The flags whose values have a name: the command line replaces only the values with the same name. */
const NAMED: readonly string[] = Object.values(NAMED_VALUES).map(({ flag }) => flag);

/**
 * Sets the options of a command that the command line leaves out to the values of the file, and returns the base URL.
 * `base` is a URL or the name of a target. `used` lists the keys for a command that uses only some. Throws UsageError with
 * all mistakes, each with file and line.
 */
export async function applyConfig(
  command: Command,
  base: string | undefined,
  used?: readonly string[],
): Promise<string | undefined> {
  const { config: given } = command.opts<{ config?: string | false }>();
  if (given === false) return base;
  const path = given ?? findConfig();
  if (path === undefined) return refuseWord(base);
  const entries = readEntries(readYamlFile(path, LARGEST_FILE));
  const plan = used === undefined ? await import('../../conformance/plan/plan.ts') : undefined;
  let chosen: Chosen = { entry: entries.top };
  let url: string | undefined;
  const steps = [
    () => {
      if (plan === undefined) return;
      readAll([entries.top, ...entries.targets.values()], (entry) => {
        const directory = catalogueOf(command, merge(entries.top, entry), path);
        if (directory !== undefined && !existsSync(directory)) return;
        const catalogue = loadCatalogue(directory);
        checkNames(entry, catalogue, plan.selectable({ catalogue }));
      });
    },
    () => {
      chosen = choose(entries, base, nameOf(path));
      const { entry } = chosen;
      readAll([() => fillOptions(command, entry, path, used), () => fillUrl(entry)], (step) => step());
    },
  ];
  // A mistake in one step doesn't hide the mistakes of the next.
  readAll(steps, (step) => step());
  const { note, target } = chosen;
  say(`Using ${nameOf(path)}${target === undefined ? '' : `, target ${target}`}`);
  if (note !== undefined) say(note);
  return url;

  function fillUrl(entry: Entry): void {
    const isWord = base === undefined || entries.targets.has(base);
    url = isWord && used?.includes(URL_KEY) !== false ? urlOf(entry) : base;
    if (base !== undefined && url === undefined)
      throw new UsageError(`The target "${base}" in ${nameOf(path ?? '')} has no url. Add one.`);
  }
}

/** Returns the path of the file in the working directory or the nearest directory above. */
function findConfig(): string | undefined {
  const here = process.cwd();
  for (let directory = here; ; directory = dirname(directory)) {
    const path = join(directory, CONFIG_FILE);
    if (existsSync(path)) {
      // In a shared directory such as /tmp, another user could write a file that sends secrets elsewhere.
      const owners = [process.getuid?.(), 0, statSync(here).uid];
      if (owners.includes(statSync(path).uid)) return path;
      throw new UsageError(
        `${nameOf(path)} belongs to another user, so it is not used. To use it, pass --config ${nameOf(path)}. To ignore it, pass --no-config.`,
      );
    }
    if (dirname(directory) === directory) return undefined;
  }
}

function nameOf(path: string): string {
  return relative(process.cwd(), path) || path;
}

/** Returns the argument if it can be a base URL. Without a file, there are no targets. */
function refuseWord(base: string | undefined): string | undefined {
  if (base === undefined || !TARGET_NAME.test(base)) return base;
  throw new UsageError(
    `"${base}" is not a base URL, and there is no ${CONFIG_FILE} with targets here or above. Pass a URL such as http://127.0.0.1:4010, or write the file with: record-model init`,
  );
}

/** The settings for a run. */
type Chosen = {
  readonly entry: Entry;
  /** The name of the target. */
  readonly target?: string;
  /** A line for the user about settings that are left out. */
  readonly note?: string;
};

/** Chooses the settings for a base URL or the name of a target. A URL selects the target that has it. */
function choose({ targets, top }: Entries, base: string | undefined, name: string): Chosen {
  if (base === undefined) return { entry: top };
  const named = targets.get(base);
  if (named) return { entry: merge(top, named), target: base };
  if (TARGET_NAME.test(base)) {
    if (targets.size === 0)
      throw new UsageError(
        `"${base}" is not a base URL, and ${name} has no targets. Pass a URL such as http://127.0.0.1:4010.`,
      );
    throw new UsageError(unexpected('target', base, [...targets.keys()], `in ${name}`));
  }
  const url = parseBaseUrl(base);
  if (attempt(() => urlOf(top)) === url) return { entry: top };
  for (const [target, own] of targets)
    if (attempt(() => urlOf(own)) === url) return { entry: merge(top, own), target };
  return withoutSecrets(top, url, name);
}

/** Leaves out the settings that belong to the service in the file, if the URL is of another one. */
function withoutSecrets(entry: Entry, url: string, name: string): Chosen {
  const known = attempt(() => urlOf(entry));
  const isSame = known !== undefined && new URL(known).origin === new URL(url).origin;
  if (isSame || !entry.has(URL_KEY)) return { entry };
  const kept = [...entry].filter(([, setting]) => !OF_ONE_SERVICE.includes(setting.name));
  if (kept.length === entry.size) return { entry };
  const note = `The credentials and TLS settings in ${name} are not used, because they are for another URL.`;
  return { entry: new Map(kept), note };
}

/** Returns the settings of a target together with the others. */
function merge(top: Entry, target: Entry): Entry {
  const replaced = [...target.values()].flatMap(({ name }) => REPLACES[name] ?? []);
  return new Map([...[...top].filter(([, { name }]) => !replaced.includes(name)), ...target]);
}

/** Returns the directory of the catalogue that the settings are for. */
function catalogueOf(command: Command, entry: Entry, path: string): string | undefined {
  const setting = entry.get('catalogue');
  const given: string | undefined = command.getOptionValue('catalogue');
  if (given !== undefined || setting === undefined) return given;
  return attempt(() => pathOf(setting, path));
}

/** Sets the options that the command line leaves out. */
function fillOptions(command: Command, entry: Entry, path: string, used?: readonly string[]): void {
  const isGiven = (option: Option) => command.getOptionValueSource(option.attributeName()) === 'cli';
  const given = command.options.filter(isGiven).map(({ long }) => long?.slice(2) ?? '');
  const replaced = [
    ...given.filter((name) => !NAMED.includes(name)),
    ...given.flatMap((name) => REPLACES[name] ?? []),
  ];
  const settings = Map.groupBy(entry.values(), ({ name }) => name);
  readAll(settings, ([name, same]) => {
    const option = command.options.find(({ long }) => long === `--${name}`);
    if (!option || used?.includes(name) === false || replaced.includes(name)) return;
    const value = readAll(same, (setting) => valueFor(option, setting, path));
    const attribute = option.attributeName();
    // The command line comes last, because the last value of a name counts.
    const named = () => [...value.flat(), ...(command.getOptionValue(attribute) ?? [])];
    const all = NAMED.includes(name) ? named() : value[0];
    if (all !== undefined) command.setOptionValueWithSource(attribute, all, 'config');
  });
}

/** Returns the value of an option. A switch that is off counts as left out. */
function valueFor(option: Option, setting: ConfigSetting, path: string): unknown {
  const { name, place } = setting;
  if (option.isBoolean()) return place.value || undefined;
  if (!isPath(option)) return parsed(setting, option.parseArg);
  const file = pathOf(setting, path);
  if (READ.includes(name) && !existsSync(file))
    place.fail(`There is no ${file}. Correct the path, which is relative to ${nameOf(path)}.`);
  if (GROUPS.reports?.includes(name)) attempt(() => checkReportPlace(file, name, path), place.fail);
  return file;
}

/** Returns a path in the file as a path from the working directory. */
function pathOf({ place, values }: ConfigSetting, path: string): string {
  return nameOf(resolve(dirname(path), expand(values[0]?.text ?? '', place)));
}

type Name = Exclude<FormatName, 'github'> | 'manifest';

/** How the reports of the kit begin. */
const STARTS: Readonly<Record<Name, RegExp>> = {
  json: /^\{\n {2}"version": \d+,\n {2}"target": "/,
  junit: /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="[^"]+: https?:/,
  markdown: /^## \S+ .*(CONFORMANT|INCONCLUSIVE)/,
  html: /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/,
  har: new RegExp(`^\\{\\s+"log": \\{\\s+"version": "1\\.2",\\s+"creator": \\{\\s+"name": "${KIT.name}"`),
  manifest: /^\{\n {2}"target": ".*",\n {2}"leftovers": \[/,
};

/** The number of bytes at the start of a file that show what it is. */
const START = 4096;

/**
 * Throws UsageError if a report path in `record-model.yaml` is outside of the directory of that file, or if a file there
 * is not a report of the kit. So a configuration from somebody else can't replace files of the user.
 */
export function checkReportPlace(file: string, name: string, config: string): void {
  checkFile(file, name, false);
  const root = realpathSync(dirname(config));
  const place = join(realpathSync(dirname(file)), basename(file));
  if (relative(root, place).split(sep)[0] === '..')
    throw new UsageError(
      `${file} is outside of the directory of ${basename(config)}. Choose a path inside, or pass --${name} on the command line.`,
    );
  const found = statSync(file, { throwIfNoEntry: false });
  // An earlier run can have left the file empty.
  if (!found?.isFile() || found.size === 0 || STARTS[name as Name].test(startOf(file))) return;
  throw new UsageError(
    `${file} is not a report of record-model, so it is not replaced. Choose another path, or pass --${name} on the command line.`,
  );
}

function startOf(file: string): string {
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(START);
    return bytes.toString('utf8', 0, readSync(handle, bytes, 0, START, 0));
  } finally {
    closeSync(handle);
  }
}
