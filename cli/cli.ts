import { Command, CommanderError, Option } from 'commander';
import { Interrupted } from '../conformance/target/exchange.ts';
import { FixtureError } from '../fixtures/fixtures.ts';
import { KIT } from '../spec/files/kit-file.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { examples, refuseRepeats } from './options.ts';
import {
  endEarly,
  hasColors,
  OK,
  paint,
  sayError,
  sayUnreachable,
  terminal,
  UNREACHABLE,
  USAGE,
} from './terminal/terminal.ts';
import { addVerbs } from './verbs.ts';

/** The command `record-model`. Each verb has a file in this folder. docs/reference/exit-codes.md lists the exit codes. */

/** Runs the command that this process was started with. */
export async function runProcess(): Promise<void> {
  let isCutOff = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough, such as head, is no fault.
    if (error.code === 'EPIPE' || isCutOff) return;
    isCutOff = true;
    sayError(`Can't write to standard output: ${error.message}`);
    process.exitCode ||= UNREACHABLE;
  });
  // Without standard error, no message can be shown.
  process.stderr.on('error', () => {});
  await main(process.argv.slice(2));
}

/** Runs a command line and sets the exit code of its terminal. */
export async function main(words: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(words, { from: 'user' });
  } catch (error) {
    terminal().exitCode = explain(error as Error);
  }
}

function createProgram(): Command {
  const program = new Command('record-model')
    .usage('<command> [options]')
    .description('Mock server, conformance suite, and OpenAPI document for the Record Model API.')
    .version(KIT.version, '-V, --version', 'print the version')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({
      styleTitle: (title) => paint(terminal().stdout, 'bold', title),
      subcommandTerm: (command) => command.name(),
    })
    .configureOutput({
      writeOut: (text) => terminal().stdout.write(text),
      writeErr: (text) => terminal().stderr.write(text),
      getOutHelpWidth: () => terminal().stdout.columns || 80,
      getErrHelpWidth: () => terminal().stderr.columns || 80,
      getOutHasColors: () => hasColors(terminal().stdout),
      getErrHasColors: () => hasColors(terminal().stderr),
    });

  addVerbs(program);
  examples(
    program,
    'record-model mock                           start the mock with demo records',
    'record-model check http://127.0.0.1:4010    check a service (here: the mock)',
    'record-model generate -o openapi.yaml       write the OpenAPI document',
  );
  program.addHelpText('after', '\nRun `record-model <command> --help` for the options of a command.');

  for (const command of [program, ...program.commands.flatMap((one) => [one, ...one.commands])]) {
    command.addHelpOption(new Option('-h, --help', 'print this help').helpGroup('Options:'));
    command.configureOutput({ outputError: (text) => sayError(explainUsage(text, command)) });
    refuseRepeats(command);
  }
  return program;
}

/** Prints an error and returns the exit code for it. Commander has printed its own errors. */
function explain(error: Error): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? OK : USAGE;
  if (error instanceof UsageError || error instanceof FixtureError) {
    sayError(error.message);
    return USAGE;
  }
  // The run was stopped before its first case, or while it created the records for all cases.
  if (error instanceof Interrupted) {
    endEarly([], error.isOutOfTime);
    return terminal().exitCode;
  }
  if (error.name === 'Unreachable' || error.name === 'NoAnswer') {
    sayUnreachable(error.message);
    return UNREACHABLE;
  }
  sayError(`Internal error. Please report it with this stack trace:\n${error.stack}`);
  return UNREACHABLE;
}

/** The messages of commander, and the sentences for them. They repeat no word that might be a secret. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [
    /^option '.*?(--[\w-]+).*?' argument '(.*)' is invalid\. Allowed choices are (.*)$/s,
    'Invalid value "$2" for $1. Pass one of: $3',
  ],
  [/^option '.*?(--[\w-]+).*?' argument '(.*)' is invalid\. /s, 'Invalid value "$2" for $1. '],
  [
    /^option '.*?(--[\w-]+).*?' cannot be used with option '.*?(--[\w-]+).*?'$/,
    "$1 and $2 can't be used together. Remove one of them.",
  ],
  [/^option '(.*)' argument missing$/, 'The option $1 needs a value'],
  [/^required option '(.*)' not specified$/, 'The option $1 is required'],
  [/^missing required argument '(.*)'$/, 'The argument <$1> is missing'],
  [/^unknown command '(.*)'$/s, 'Unknown command "$1"'],
  [/^unknown option '([^'=]+).*'$/s, 'Unknown option $1'],
  [/^too many arguments.* Expected (\d+).*$/s, 'Too many arguments: the maximum is $1'],
];

/** Returns an error of commander as sentences, with its suggestion, or the way to the help of the command. */
function explainUsage(text: string, command: Command): string {
  const [, problem = '', suggestion] = /^(?:error: )?(.*?)(?:\n\((.+)\))?$/s.exec(text.trim()) ?? [];
  const said = SENTENCES.reduce((words, [pattern, sentence]) => words.replace(pattern, sentence), problem);
  if (said.endsWith('.')) return said;
  const names = [command.parent?.parent?.name(), command.parent?.name(), command.name()].filter(Boolean);
  return `${said}. ${suggestion ?? `Run \`${names.join(' ')} --help\` for usage.`}`;
}
