/** One command, a verb for each thing the kit does, a file each beside this one. Exit codes stand in README.md. */
import { Command, CommanderError } from 'commander';
import { KIT } from '../conformance/report/kit.ts';
import { Interrupted } from '../conformance/target/no-answer.ts';
import { FixtureError } from '../fixtures/fixture-error.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { refuseRepeats } from './options.ts';
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
    const program = await createProgram(words[0] ?? '');
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    terminal().exitCode = explain(error as Error);
  }
}

type Group = {
  readonly verbs: readonly string[];
  /** Adds the verbs with their flags. */
  readonly load: () => Promise<(program: Command) => void>;
};

const GROUPS: readonly Group[] = [
  {
    verbs: ['generate', 'export', 'diff'],
    load: async () => (await import('./write-commands.ts')).writeCommands,
  },
  { verbs: ['mock', 'proxy'], load: async () => (await import('./serve-commands.ts')).serveCommands },
  {
    verbs: ['dump', 'load'],
    load: async () => (await import('./stores/store-commands.ts')).storeCommands,
  },
  {
    verbs: ['learn', 'clean', 'check'],
    load: async () => (await import('./service-commands.ts')).serviceCommands,
  },
];

/** The command with what the first word asks for: all verbs take longer to make than one to answer. */
async function createProgram(word: string): Promise<Command> {
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

  const asked = GROUPS.filter(({ verbs }) => verbs.includes(word));
  const isVersion = word === '--version' || word === '-V';
  for (const { load } of asked.length > 0 || isVersion ? asked : GROUPS) (await load())(program);

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
