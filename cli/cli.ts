/** One command, a verb for each thing the kit does, a file each beside this one. Exit codes stand in README.md. */
import { Command, CommanderError, Option } from 'commander';
import { KIT } from '../conformance/report/kit.ts';
import { FORMATS } from '../conformance/report/report.ts';
import { FixtureError } from '../fixtures/fixtures.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { checkService } from './check/check.ts';
import { cleanUp } from './clean.ts';
import { connectionOptions, MANIFEST } from './connection/connection-options.ts';
import { exportCommands } from './export.ts';
import { generate } from './generate.ts';
import { learn } from './learn.ts';
import { serveMock } from './mock.ts';
import { contractOptions, pointInTime, range, refuseRepeats, wholeNumber, words } from './options.ts';
import { needsNodeOfPrism } from './prism-node.ts';
import { serveProxy } from './proxy.ts';
import { publicationOptions } from './publication.ts';
import { LOG_FORMS } from './request-log.ts';
import { INTERRUPTED, OK, say, UNREACHABLE, USAGE } from './terminal/console.ts';
import { terminal } from './terminal/terminal.ts';

const BASE_URL = 'where the service is, such as http://127.0.0.1:4010';

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
    .action(generate);

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

  needsNodeOfPrism(contractOptions(program.command('mock')))
    .description('serve the document as a mock that keeps state')
    .option(
      '--port <number>',
      'the port to listen on; 0 takes a free one (default: the variable PORT, or 4010)',
      wholeNumber(0, 65_535),
    )
    .option('--host <name>', 'the address to listen on', '127.0.0.1')
    .option(
      '--fixtures <source>',
      'the records to start with: demo, none, or a YAML or JSON file or a directory of them (default: demo)',
    )
    .option(
      '--now <time>',
      'the time that every session begins at, such as 2025-10-22T09:30:00Z',
      pointInTime,
    )
    .option(
      '--journal <number>',
      'how many exchanges each session keeps; 0 for none (default: 1000)',
      wholeNumber(0, 1_000_000),
    )
    .option(
      '--max-sessions <number>',
      'the one unused longest goes (default: 1000)',
      wholeNumber(1, 1_000_000),
    )
    .option('--latency <ms>', 'before every answer, such as 200 or 200..800', range(600_000))
    .option('--fault <file>', 'the faults that every session begins with, a YAML or JSON list')
    .option('--seed <number>', 'what delays and probabilities are drawn from', wholeNumber(0, 999_999_999))
    .option('--control-token <token>', 'lets others than this machine use /__mock, as a bearer token')
    .option('--no-control', 'no /__mock')
    .option('--allow-host <names>', 'other names that the mock may be asked by, separated by commas', words)
    .option(
      '--cors-origin <origins>',
      'pages beside those of this machine that may send credentials, separated by commas',
      words,
    )
    .addOption(new Option('--log <form>', 'a line for each request').choices(LOG_FORMS).default('text'))
    .option('--quiet', 'no line for each request, as --log none')
    .option('--json', 'print a line of JSON on standard output once it is ready')
    .option('--ready-file <file>', 'write the same to a file, which is there as long as the mock is')
    .option('--defect <name>', 'break the contract on purpose: NAME[:model[.field][=detail]]')
    .option('--list-defects', 'print the defects and do nothing else')
    .action(serveMock);

  needsNodeOfPrism(contractOptions(program.command('proxy')))
    .description('pass every request on to a real service and report where either side breaks the contract')
    .argument('<upstream>', 'where the service is, such as https://api.example.com')
    .option('--port <number>', 'the port to listen on; 0 takes a free one', wholeNumber(0, 65_535), 4011)
    .option('--host <name>', 'the address to listen on', '127.0.0.1')
    .option('--timeout <ms>', 'how long the service may be silent', wholeNumber(1, 600_000), 60_000)
    .option('--insecure', 'take any TLS certificate')
    .option('--allow-host <names>', 'other names that the proxy may be asked by, separated by commas', words)
    .action(serveProxy);

  connectionOptions(program.command('learn'))
    .description('find out the profile of a live service by asking it')
    .argument('<base-url>', BASE_URL)
    .option('-o, --output <file>', 'where to write the profile; - is standard output', '-')
    .option('--catalogue <dir>', 'a directory with a catalogue of your own')
    .action(learn);

  connectionOptions(program.command('clean'))
    .description('remove what a check or learn that did not end has left, as its journal says')
    .argument('<journal>', 'the file it left, such as record-model-leftovers-k3f9.jsonl')
    .option('--dry-run', 'say what would be removed, and remove nothing')
    .option('--catalogue <dir>', 'a directory with a catalogue of your own')
    .action(cleanUp);

  const check = connectionOptions(contractOptions(program.command('check')))
    .description('call a live service and check every operation, field, flag and value against the source')
    .argument('[base-url]', BASE_URL)
    .option('--models <names>', 'only these models, separated by commas', words)
    .option('--area <names>', 'only the models of these areas', words)
    .option('--rule <ids>', 'only these rules, or groups such as required', words)
    .option('--level <levels>', 'only rules of these levels: stated, assumed, advice', words)
    .option('--list-rules', 'print the rules and do nothing else')
    .option('--case <id>', 'only this case, with its exchanges in full')
    .option('--fail-fast', 'stop after the first failure')
    .option(
      '--explore <number>',
      'try so many random sequences of operations after the cases; 0 by default',
      wholeNumber(0, 100_000),
    )
    .option(
      '--min-coverage <percent>',
      'the least share of the operations, and of the fields, that has to be exercised',
      wholeNumber(0, 100),
    )
    .option('--dry-run', 'say which cases would run and what they would send, and send nothing')
    .option('--baseline <file>', 'known failures that do not count until they expire')
    .option('--write-baseline <file>', 'write what fails now as a baseline')
    .option('--manifest <file>', 'where to list records that could not be removed', MANIFEST);
  for (const [name, { about }] of Object.entries(FORMATS))
    if (name !== 'github') check.option(`--${name} <file>`, `write ${about}`);
  check.action(checkService);

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
  if (error.name === 'Interrupted') {
    say('Interrupted');
    return INTERRUPTED;
  }
  if (error.name === 'Unreachable' || error.name === 'NoAnswer') {
    say(`record-model: the target can't be reached: ${error.message}`);
    return UNREACHABLE;
  }
  say(`record-model: this is a fault of the kit, please report it:\n${error.stack}`);
  return UNREACHABLE;
}
