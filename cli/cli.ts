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
  UNREACHABLE,
  USAGE,
} from './terminal/console.ts';
import { terminal } from './terminal/terminal.ts';

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
    const program = await createProgram(words[0] ?? '');
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    terminal().exitCode = explain(error as Error, words);
  }
}

const GROUPS: readonly {
  readonly verbs: readonly string[];
  /** Loads the function that adds these verbs and their options. */
  readonly load: () => Promise<(program: Command) => void>;
}[] = [
  { verbs: ['mock'], load: async () => (await import('./serve-commands.ts')).serveCommands },
  {
    verbs: ['check', 'learn', 'capture', 'clean', 'init'],
    load: async () => (await import('./service-commands.ts')).serviceCommands,
  },
  {
    verbs: ['generate', 'export', 'diff'],
    load: async () => (await import('./write-commands.ts')).writeCommands,
  },
  {
    verbs: ['dump', 'load'],
    load: async () => (await import('./stores/store-commands.ts')).storeCommands,
  },
];

/** Creates the command with the verbs that the first word needs, because creating all verbs takes longer than most runs. */
async function createProgram(word: string): Promise<Command> {
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
      // Errors are printed by `explain`.
      outputError: () => {},
      getOutHelpWidth: () => terminal().stdout.columns || 80,
      getErrHelpWidth: () => terminal().stderr.columns || 80,
      getOutHasColors: () => hasColors(terminal().stdout),
      getErrHasColors: () => hasColors(terminal().stderr),
    });

  const asked = GROUPS.filter(({ verbs }) => verbs.includes(word));
  const isVersion = word === '--version' || word === '-V';
  for (const { load } of asked.length > 0 || isVersion ? asked : GROUPS) (await load())(program);
  examples(
    program,
    'record-model mock                           start the mock with demo records',
    'record-model check http://127.0.0.1:4010    check a service (here: the mock)',
    'record-model generate -o openapi.yaml       write the OpenAPI document',
  );
  program.addHelpText('after', '\nRun `record-model <command> --help` for the options of a command.');

  for (const command of [program, ...program.commands.flatMap((one) => [one, ...one.commands])]) {
    command.addHelpOption(new Option('-h, --help', 'print this help').helpGroup('Options:'));
    refuseRepeats(command);
  }
  return program;
}

/** Prints an error and returns the exit code for it. */
function explain(error: Error, words: readonly string[]): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return OK;
    if (error.code !== 'commander.help') sayError(explainUsage(error, verbOf(words)));
    return USAGE;
  }
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

/** Returns the verb of a command line, such as `mock` or `export types`. */
function verbOf([verb = '', kind = '']: readonly string[]): string {
  if (!GROUPS.some(({ verbs }) => verbs.includes(verb))) return '';
  return verb === 'export' && /^\w/.test(kind) ? `${verb} ${kind}` : verb;
}

/** Rewrites a message of commander in full sentences; `verb` is the command it is about, such as `export types`. */
function explainUsage({ code, message }: CommanderError, verb: string): string {
  const [problem = '', hint = ''] = message.replace(/^error: /, '').split('\n');
  const [, near] = /\(Did you mean (?:one of )?(.+)\?\)/.exec(hint) ?? [];
  const [, quoted = ''] = /'([^']*)'/.exec(problem) ?? [];
  const help = `Run \`record-model ${verb === '' ? '' : `${verb} `}--help\` for usage.`;
  switch (code) {
    case 'commander.unknownOption':
      return `Unknown option ${nameOf(quoted)}. ${near ? `Did you mean ${near}?` : help}`;
    case 'commander.unknownCommand':
      return `Unknown ${verb === 'export' || verb.startsWith('export ') ? 'format' : 'command'} "${quoted}". ${near ? `Did you mean "${near}"?` : help}`;
    case 'commander.missingArgument':
      return `The argument <${quoted}> is missing. ${help}`;
    case 'commander.optionMissingArgument':
      return `The option ${quoted} needs a value. ${help}`;
    case 'commander.missingMandatoryOptionValue':
      return `The option ${quoted} is required. ${help}`;
    case 'commander.excessArguments': {
      const [, expected = '0'] = /Expected (\d+)/.exec(problem) ?? [];
      return `Too many arguments: this command takes ${expected === '0' ? 'none' : expected}. ${help}`;
    }
    case 'commander.invalidArgument':
      return explainValue(problem);
    default:
      return problem;
  }
}

/** Rewrites the message about a value of an option. Choices are listed by commander, the rest is text of a parser. */
function explainValue(problem: string): string {
  const [, flags = '', value = '', reason = ''] =
    /^option '(.+?)' argument '(.*?)' is invalid\. (.*)$/s.exec(problem) ?? [];
  if (flags === '') return problem;
  const remedy = reason.replace(/^Allowed choices are (.*)\.$/, (_, choices) => `Pass one of: ${choices}.`);
  return `Invalid value ${JSON.stringify(value)} for ${nameOf(flags)}. ${remedy}`;
}

/** Returns the long name of an option without its value, which might be a secret. */
function nameOf(flags: string): string {
  const long = /--[\w-]+/.exec(flags)?.[0];
  return long ?? flags.replace(/=.*$/s, '');
}
