import { type Command, Option } from 'commander';
import { UsageError } from '../../spec/files/usage-error.ts';
import { commandLine } from '../options.ts';
import { CONFIG_FILE } from './keys.ts';

/**
 * Adds --config and --no-config to a command, and an action that gets the base URL, the options, and the first argument.
 * The base URL and the options come from the command line or else from the file. `baseOf` returns the base URL or target for
 * the first argument, which it is by default. `used` lists the keys for a command that uses only some.
 */
export function withConfig<Options extends object>(
  command: Command,
  load: () => Promise<(base: string | undefined, options: Options, argument: string) => Promise<void>>,
  {
    baseOf = async (argument) => argument,
    used,
  }: {
    readonly baseOf?: (argument: string) => Promise<string>;
    readonly used?: readonly string[];
  } = {},
): Command {
  return command
    .addOption(
      new Option(
        '--config <file>',
        `read options that the command line omits from this file (default: ${CONFIG_FILE} here or in a directory above)`,
      ).helpGroup('Options:'),
    )
    .addOption(new Option('--no-config', `ignore ${CONFIG_FILE}`).helpGroup('Options:'))
    .action(async () => {
      const [argument] = command.args;
      const { listDefects, listRules } = command.opts<{ listDefects?: true; listRules?: true }>();
      const isList = listDefects || listRules;
      const base = argument === undefined ? undefined : await baseOf(argument);
      const url = isList ? base : await (await import('./config.ts')).applyConfig(command, base, used);
      const options = { ...command.opts<Options>(), command: commandLine(command) };
      await (await load())(url, options, argument ?? '');
    });
}

/** Returns the base URL. Throws UsageError if neither the command line nor the file has one. */
export function needUrl(base: string | undefined, name = 'base-url'): string {
  if (base !== undefined) return base;
  throw new UsageError(
    `The argument <${name}> is missing. Pass one such as http://127.0.0.1:4010, or add url to ${CONFIG_FILE}.`,
  );
}
