/** One command, a verb for each thing the kit does, a file each beside this one. Exit codes stand in README.md. */
import { Command, CommanderError, Option } from 'commander';
import { KIT } from '../conformance/report/kit.ts';
import { Interrupted } from '../conformance/target/no-answer.ts';
import { FixtureError } from '../fixtures/fixtures.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { exportCommands } from './export.ts';
import { contractOptions, refuseRepeats } from './options.ts';
import { publicationOptions } from './publication.ts';
import { serveCommands } from './serve-commands.ts';
import { serviceCommands } from './service-commands.ts';
import { endEarly, OK, say, UNREACHABLE, USAGE } from './terminal/console.ts';
import { terminal } from './terminal/terminal.ts';

/** Runs the command that this process was started with. */
export async function runProcess(): Promise<void> {
  let isCutOff = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough, such as head, is no fault.
    if (error.code === 'EPIPE' || isCutOff) return;
    isCutOff = true;
    say(`record-model: standard output can't be written: ${error.message}`);
    process.exitCode ||= UNREACHABLE;
  });
  // There is nobody left to tell.
  process.stderr.on('error', () => {});
  await main(process.argv.slice(2));
}

/** Runs the command of the words; how it ended stands in the exit code of its terminal. */
export async function main(words: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(words, { from: 'user' });
  } catch (error) {
    terminal().exitCode = explain(error as Error);
  }
}

function createProgram(): Command {
  const program = new Command('record-model')
    .description(
      'Contract kit for the Record Model API: OpenAPI document, stateful mock server, conformance suite.',
    )
    .version(KIT.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal().stdout.write(text),
      writeErr: (text) => terminal().stderr.write(text),
    });

  publicationOptions(contractOptions(program.command('generate')))
    .description('write the OpenAPI document of the catalogue under a profile')
    .option('-o, --output <file>', 'where to write it; - is standard output', '-')
    .addOption(
      new Option('--format <format>', 'default: by the ending of the file').choices(['yaml', 'json']),
    )
    .option(
      '--check',
      'write nothing; exit 1 unless the file (default: the document of this package) is up to date',
    )
    .action(async (options) => (await import('./generate.ts')).generate(options));

  const exports = program.command('export').description('write the contract in another form than OpenAPI');
  exportCommands(exports);

  program
    .command('diff')
    .description('say what changed from one contract to another, and what of it breaks clients')
    .argument('<old>', 'an OpenAPI document (3.0 or 3.1), a profile, or the directory of a catalogue')
    .argument('<new>', 'the same')
    .option('--profile <file>', 'the profile that catalogues are read under')
    .addOption(new Option('--fail-on <changes>', 'exit 1 when there are such').choices(['breaking', 'any']))
    .action(async (before, after, options) => (await import('./diff.ts')).diff(before, after, options));

  serveCommands(program);
  serviceCommands(program);

  for (const command of program.commands)
    for (const one of [command, ...command.commands]) refuseRepeats(one);
  return program;
}

function explain(error: Error): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? OK : USAGE;
  if (error instanceof UsageError || error instanceof FixtureError) {
    say(`record-model: ${error.message}`);
    return USAGE;
  }
  // Before the first case, or while records are made for all of them.
  if (error instanceof Interrupted) {
    endEarly([], error.isOutOfTime);
    return terminal().exitCode;
  }
  if (error.name === 'Unreachable' || error.name === 'NoAnswer') {
    say(`record-model: the target can't be reached: ${error.message}`);
    return UNREACHABLE;
  }
  say(`record-model: this is a fault of the kit, please report it:\n${error.stack}`);
  return UNREACHABLE;
}
